import { CustomChart } from 'echarts/charts';
import { AriaComponent, DataZoomSliderComponent, GridComponent } from 'echarts/components';
import { type ECharts, graphic, init, use as register } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

register([AriaComponent, CanvasRenderer, CustomChart, DataZoomSliderComponent, GridComponent]);

/** Width of the tip of a box without an end, in pixels. */
const TIP_WIDTH = 7;

/** A shape of many rectangles with the same look. Ten thousand separate elements can't be moved smoothly. */
const RectanglesShape = graphic.extendShape({
  type: rectanglesShapeType(),
  shape: { rects: [] as number[], open: false },
  buildPath: (path, shape) => {
    const { rects, open } = shape as { rects: number[]; open?: boolean };
    for (let at = 0; at + 3 < rects.length; at += 4) {
      const x = rects[at] ?? 0;
      const y = rects[at + 1] ?? 0;
      const width = rects[at + 2] ?? 0;
      const height = rects[at + 3] ?? 0;
      path.rect(x, y, width, height);
      if (!open) continue;
      path.moveTo(x + width, y);
      path.lineTo(x + width + TIP_WIDTH, y + height / 2);
      path.lineTo(x + width, y + height);
      path.closePath();
    }
  },
});
graphic.registerShape(rectanglesShapeType(), RectanglesShape);

/** Returns the type name under which the shape is registered with ECharts. */
export function rectanglesShapeType(): string {
  return 'taktRects';
}

export { type ECharts, graphic, init };
