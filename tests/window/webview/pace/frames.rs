//! Measures the frames during a movement: how many were drawn, and how many are missing.

use serde_json::{Value, json};
use takt_tests::Window;

/// The measured values of a movement.
#[derive(Debug, Clone)]
pub(super) struct Frames(Value);

/// Moves a little in each frame, and records the frame's time. A late frame is treated as several missing frames.
const WATCH: &str = "const watch = (move, milliseconds, finish) => {
        const times = [];
        let last, start;
        const step = (now) => {
            start ??= now;
            if (last !== undefined) times.push(now - last);
            last = now;
            if (now - start > milliseconds) return finish(times);
            move();
            requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
    };
    const said = (times, more) => {
        const order = [...times].sort((a, b) => a - b);
        const usual = 1000 / 60;
        const missing = times.reduce((sum, time) => sum + Math.max(0, Math.round(time / usual) - 1), 0);
        const seconds = times.reduce((sum, time) => sum + time, 0) / 1000;
        return { frames: times.length, missing, perSecond: times.length / seconds,
            half: order[Math.floor(order.length / 2)], most: order[Math.floor(order.length * 0.95)], ...more };
    };";

/// Scrolls down for four seconds, three rows per frame like a mouse wheel. Counts rows without content.
pub(super) async fn scroll(window: &Window, css: &str) -> Frames {
    let code = format!(
        "{WATCH}
        const done = arguments[arguments.length - 1];
        const view = document.querySelector(arguments[0]);
        if (!view) return done(null);
        view.scrollTop = 0;
        let blank = 0, seen = 0;
        watch(() => {{
            view.scrollTop += 84;
            for (const row of view.querySelectorAll('.ag-row')) {{
                seen += 1;
                if (row.textContent.trim() === '') blank += 1;
            }}
        }}, 4000, (times) => done(said(times, {{ blank: blank / Math.max(1, seen), at: view.scrollTop }})));"
    );
    run(window, &code, css).await
}

/// Drags a chart back and forth for four seconds. Starts `below` pixels under its upper edge, where no movable bar is.
pub(super) async fn pan(window: &Window, css: &str, below: u32) -> Frames {
    let code = format!(
        "{WATCH}
        const done = arguments[arguments.length - 1];
        const canvas = document.querySelector(arguments[0]);
        if (!canvas) return done(null);
        const box = canvas.getBoundingClientRect();
        const [x, y] = [box.left + box.width / 2, box.top + {below}];
        const tell = (kind, at) => {{
            const init = {{ bubbles: true, cancelable: true, view: window, clientX: at, clientY: y, button: 0, buttons: kind === 'up' ? 0 : 1, pointerId: 1, pointerType: 'mouse', isPrimary: true }};
            canvas.dispatchEvent(new PointerEvent('pointer' + kind, init));
            canvas.dispatchEvent(new MouseEvent('mouse' + kind, init));
        }};
        let step = 0;
        const places = new Set();
        tell('move', x);
        tell('down', x);
        watch(() => {{
            step += 1;
            tell('move', x + 200 * Math.sin(step / 20));
            places.add(canvas.closest('[data-from]')?.dataset.from);
        }}, 4000, (times) => {{
            tell('up', x);
            done(said(times, {{ steps: step, places: places.size }}));
        }});"
    );
    run(window, &code, css).await
}

async fn run(window: &Window, code: &str, css: &str) -> Frames {
    let measured = window.client.execute_async(code, vec![json!(css)]).await.unwrap();
    assert!(measured.is_object(), "{css} is not there");
    Frames(measured)
}

impl Frames {
    /// Returns the number of distinct positions that a dragged chart had.
    pub(super) fn position_count(&self) -> u64 {
        self.0["places"].as_u64().unwrap_or_default()
    }

    pub(super) fn to_json(&self) -> Value {
        self.0.clone()
    }
}
