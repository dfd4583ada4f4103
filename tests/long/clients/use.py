"""Reads every work order by day, sends a batch with one invalid order, and requests a missing template."""

import json
import os

from plant_client import AuthenticatedClient
from plant_client.api.production_templates_and_their_processes import templates_processes
from plant_client.api.work_orders import work_orders_list, work_orders_sync
from plant_client.models import ErrorsBody, WorkOrder, WorkOrderBatchAnswer, WorkOrdersSyncBody

client = AuthenticatedClient(base_url=os.environ["BASE_URL"], token=os.environ["TOKEN"])

rows = []
page = pages = 1
while page <= pages:
    answer = work_orders_list.sync_detailed(client=client, from_="2020-01-01", page=page, limit=100)
    rows += answer.parsed.data
    pages = int(answer.headers["X-Pagination-Pages"])
    page += 1


def order(code: str, quantity: float) -> WorkOrder:
    return WorkOrder(
        code=code,
        operation_code="010",
        material_code="MAT-1001",
        requested_quantity=quantity,
        begin_planned="2036-01-01T06:00:00",
        end_planned="2036-01-01T07:30:00",
    )


sent = work_orders_sync.sync(client=client, body=WorkOrdersSyncBody(items=[order("PY-1", 5), order("PY-2", 0)]))
assert isinstance(sent, WorkOrderBatchAnswer), sent
missing = templates_processes.sync_detailed(99, client=client)
assert isinstance(missing.parsed, ErrorsBody), missing
print(
    json.dumps(
        {
            "orders": len(rows),
            "begin": next(row.begin_planned for row in rows if row.begin_planned),
            "accepted": sent.success_count,
            "refused": [result.code for result in sent.results if not result.success],
            "missing": int(missing.status_code),
            "said": missing.parsed.errors,
        }
    )
)
