// Reads every work order by day, sends a batch with one invalid order, and requests a missing template.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"

	plant "client"
)

func order(code string, quantity float32) plant.WorkOrder {
	order := plant.NewWorkOrder(code, "010", "MAT-1001", quantity)
	order.SetBeginPlanned("2036-01-01T06:00:00")
	order.SetEndPlanned("2036-01-01T07:30:00")
	return *order
}

func main() {
	settings := plant.NewConfiguration()
	settings.Servers = plant.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	settings.AddDefaultHeader("Authorization", "Bearer "+os.Getenv("TOKEN"))
	client, everywhere := plant.NewAPIClient(settings), context.Background()

	var rows []plant.WorkOrderRow
	for page, pages := int64(1), int64(1); page <= pages; page++ {
		read, answer, err := client.WorkOrdersAPI.WorkOrdersList(everywhere).From("2020-01-01").Page(page).Limit(100).Execute()
		if err != nil {
			log.Fatal(page, err)
		}
		rows = append(rows, read.Data...)
		pages, _ = strconv.ParseInt(answer.Header.Get("X-Pagination-Pages"), 10, 64)
	}
	begin := ""
	for _, row := range rows {
		if planned := row.BeginPlanned.Get(); begin == "" && planned != nil {
			begin = *planned
		}
	}

	batch := plant.NewWorkOrdersSyncRequest([]plant.WorkOrder{order("GO-1", 5), order("GO-2", 0)})
	sent, _, err := client.WorkOrdersAPI.WorkOrdersSync(everywhere).WorkOrdersSyncRequest(*batch).Execute()
	if err != nil {
		log.Fatal(err)
	}
	refused := []string{}
	for _, result := range sent.Results {
		if !result.Success {
			refused = append(refused, result.Code)
		}
	}

	_, missing, err := client.ProductionTemplatesAndTheirProcessesAPI.TemplatesProcesses(everywhere, 99).Execute()
	said := []string{}
	if refusal, is := err.(*plant.GenericOpenAPIError); is {
		if errors, is := refusal.Model().(plant.ErrorsBody); is {
			said = errors.Errors
		}
	}
	line, _ := json.Marshal(map[string]any{
		"orders": len(rows), "begin": begin, "accepted": sent.SuccessCount, "refused": refused,
		"missing": missing.StatusCode, "said": said,
	})
	fmt.Println(string(line))
}
