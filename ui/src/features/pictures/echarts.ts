import { CustomChart } from 'echarts/charts';
import { AriaComponent, DataZoomSliderComponent, GridComponent } from 'echarts/components';
import { type ECharts, graphic, init, use as register } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

register([AriaComponent, CanvasRenderer, CustomChart, DataZoomSliderComponent, GridComponent]);

/** Many rectangles of one look as one element: ten thousand elements of their own can't be moved fluidly. */
const Rects = graphic.extendShape({
  type: rectsType(),
  shape: { rects: [] as number[] },
  buildPath: (path, shape) => {
    const { rects } = shape as { rects: number[] };
    for (let at = 0; at + 3 < rects.length; at += 4) {
      path.rect(rects[at] ?? 0, rects[at + 1] ?? 0, rects[at + 2] ?? 0, rects[at + 3] ?? 0);
    }
  },
});
graphic.registerShape(rectsType(), Rects);

/** The name of the shape of many rectangles. */
export function rectsType(): string {
  return 'taktRects';
}

export { type ECharts, graphic, init };
