/// The style sheet of pages, for light and dark screens, wide and narrow screens, and paper.
enum PageStyle {
    /// The names of CSS classes must differ from those in the model's diagram, because the diagram's style
    /// sheet applies to the whole page.
    ///
    /// The contrast between text and background is at least 4.5 to 1.
    static let sheet: StaticString = """
        :root {
          color-scheme: light dark;
          --ground: #f4f3ef; --card: #fffefc; --ink: #1c2227; --soft: #5b646d; --line: #dfdcd3;
          --accent: #24594b; --bar: #7fa898; --good: #23633c; --good-ground: #e4f1e7;
          --bad: #9d2323; --bad-ground: #fbe9e7; --unknown: #7a5200; --unknown-ground: #fbf0d9; --shade: rgb(0 0 0 / 0.11);
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #13161a; --card: #1b1f24; --ink: #e8eaed; --soft: #a3acb6; --line: #333a42;
            --accent: #8fd0b9; --bar: #4c7d6d; --good: #9bd8ae; --good-ground: #16301f;
            --bad: #ffaaa3; --bad-ground: #3a1a1a; --unknown: #f0ca7c; --unknown-ground: #33280f; --shade: rgb(0 0 0 / 0.5);
          }
        }
        * { box-sizing: border-box; }
        html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
        body {
          margin: 0 auto; max-width: 74rem; padding: 2.5rem 1.5rem 3rem;
          background: var(--ground); color: var(--ink);
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
        }
        h1, h2, h3, p, dl, dd, ul, figure, table { margin: 0; }
        h1 { font-size: clamp(1.6rem, 5vw, 2.4rem); line-height: 1.15; letter-spacing: -0.02em;
          overflow-wrap: anywhere; }
        h2 { font-size: 1.3rem; line-height: 1.3; letter-spacing: -0.01em; margin-bottom: 0.75rem; }
        h3 { font-size: 1.1rem; line-height: 1.3; overflow-wrap: anywhere; }
        a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 0.15em; }
        a:not(:hover) { text-decoration-color: color-mix(in srgb, currentColor 35%, transparent); }
        section { margin-top: 2.5rem; }
        .masthead .kicker { display: flex; align-items: center; gap: 0.6rem; margin-bottom: 0.6rem;
          color: var(--accent); font-weight: 600; font-size: 0.9rem; }
        .kicker svg { width: 1.7rem; height: 1.7rem; fill: currentColor; }
        .masthead .path { color: var(--soft); font-size: 0.9rem; margin-top: 0.35rem;
          overflow-wrap: anywhere; }
        .mono, .word, .sample th[scope=row] {
          font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 0.85em; }
        .soft, .note { color: var(--soft); }
        .note { margin-top: 0.75rem; max-width: 46rem; overflow-wrap: anywhere; }
        .bad { color: var(--bad); }
        .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }

        .verdict { margin-top: 1.75rem; padding: 0.9rem 1.1rem; border-radius: 0.6rem;
          border-left: 0.35rem solid currentColor; }
        .verdict h2 { font-size: 1.1rem; margin: 0; }
        .verdict p, .verdict ul { color: var(--ink); margin-top: 0.25rem; overflow-wrap: anywhere; }
        .verdict ul { padding-left: 1.2rem; }
        .verdict.good { color: var(--good); background: var(--good-ground); }
        .verdict.bad { color: var(--bad); background: var(--bad-ground); }
        .verdict.unknown { color: var(--unknown); background: var(--unknown-ground); }

        .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 0.75rem;
          margin-top: 1rem; }
        .tile { background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem;
          padding: 0.8rem 1rem; min-width: 0; }
        .tile dt { color: var(--soft); font-size: 0.85rem; }
        .tile dd { font-size: 1.45rem; line-height: 1.25; font-weight: 600; letter-spacing: -0.01em;
          font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
        .tile dd.small { font-size: 0.75rem; line-height: 1.4; font-weight: 400; letter-spacing: 0;
          color: var(--soft); margin-top: 0.2rem; }

        table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
        th { text-align: left; font-weight: 600; }
        thead th { color: var(--soft); font-size: 0.8rem; font-weight: 500; white-space: nowrap; }
        th, td { padding: 0.4rem 0.8rem; border-bottom: 1px solid var(--line); vertical-align: baseline; }
        th:first-child, td:first-child { padding-left: 0; }
        th:last-child, td:last-child { padding-right: 0; }
        .counts th[scope=row] { width: 1%; }
        .counts bdi, .sample .text bdi { display: block; width: max-content; overflow-wrap: anywhere; }
        .counts bdi { max-width: min(22rem, 55vw); }
        .sample .text bdi { max-width: 20rem; }
        .counts .wide { width: auto; vertical-align: middle; }
        .counts .number { width: 1%; }
        .bar { display: block; height: 0.6rem; width: calc(var(--share) * 100%); min-width: 2px;
          border-radius: 0.2rem; background: var(--bar); }

        .scroll { overflow-x: auto; overscroll-behavior-x: contain; }
        /* A shade at the right edge shows that a table goes on. */
        .entity .scroll { background:
            linear-gradient(to left, var(--card) 1.5rem, transparent) right / 3rem 100% no-repeat local,
            linear-gradient(to left, var(--shade), transparent) right / 0.7rem 100% no-repeat scroll; }
        .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
        .note + .diagram { margin-top: 0.75rem; }
        .diagram { background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem; }
        .diagram .scroll { max-height: 85vh; overflow: auto; padding: 0.5rem; border-radius: 0.6rem; }
        .diagram svg { display: block; margin: 0 auto; }
        .zoom { position: absolute; opacity: 0; pointer-events: none; }
        .zoom:not(:checked) ~ .scroll svg { max-width: max(100%, 38rem); height: auto; }
        .zoom:focus-visible ~ figcaption label { outline: 2px solid var(--accent); }
        .diagram label { cursor: pointer; color: var(--accent); border: 1px solid currentColor;
          border-radius: 1rem; padding: 0 0.7rem; white-space: nowrap; }
        .zoom:checked ~ figcaption label { background: var(--accent); color: var(--card);
          border-color: var(--accent); }
        .diagram svg .page { fill: transparent; }
        .diagram { position: relative; }
        .diagram figcaption { display: flex; flex-wrap: wrap; justify-content: space-between;
          align-items: center; gap: 0.4rem 1rem; border-top: 1px solid var(--line); padding: 0.55rem 1rem;
          color: var(--soft); font-size: 0.85rem; }

        .entity { background: var(--card); border: 1px solid var(--line); border-radius: 0.6rem;
          padding: 1rem 1.1rem; margin-top: 0.9rem; scroll-margin-top: 1rem; }
        .entity:target { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
        .entity header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.8rem;
          margin-bottom: 0.5rem; }
        .entity header p { font-size: 0.9rem; }
        .later { margin-top: 2.25rem; }
        .slim { padding: 0.55rem 1.1rem; margin-top: 0.4rem; }
        .slim summary { color: var(--ink); width: auto; overflow-wrap: anywhere; }
        .slim summary .soft { margin-left: 0.4rem; }
                .sample .word, .sample th[scope=row] { white-space: nowrap; }
        .sample th[scope=row] { font-weight: 400; color: var(--soft); position: sticky; left: 0;
          background: var(--card); padding-right: 1rem; }
        .sample .nil { color: var(--soft); opacity: 0.6; }
        .sample tbody tr:last-child > * { border-bottom: 0; }
        details { margin-top: 0.6rem; }
        summary { cursor: pointer; color: var(--accent); font-size: 0.9rem; width: fit-content; }
        summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
        table.declared { margin-top: 0.4rem; }
        table.declared th { white-space: nowrap; width: 1%; }
        table.declared .mono { white-space: nowrap; width: 1%; }
        dl.declared { margin-top: 0.8rem; font-size: 0.88rem; }
        dl.declared div { display: grid; grid-template-columns: 7.5rem 1fr; gap: 0.8rem; padding: 0.1rem 0; }
        dl.declared dt { color: var(--soft); }
        dl.declared dd { overflow-wrap: anywhere; }
        footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line);
          color: var(--soft); font-size: 0.85rem; }

        @media (max-width: 40rem) {
          body { padding: 1.25rem 1rem 2rem; }
          .counts th, .counts td { padding-left: 0.5rem; padding-right: 0.5rem; }
          .counts .soft, .counts th:last-child { display: none; }
          .tiles { grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); }
          table.declared tr { display: grid; padding: 0.35rem 0; border-bottom: 1px solid var(--line); }
          table.declared :is(th, td) { border: 0; padding: 0; width: auto; white-space: normal; }
          dl.declared div { grid-template-columns: 1fr; gap: 0; padding: 0.2rem 0; }
        }
        @media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
        @media print {
          body { background: none; max-width: none; padding: 0; }
          .entity, .tile, .diagram { break-inside: avoid; }
          .diagram .scroll { max-height: none; overflow: visible; }
          .diagram svg { max-width: 100%; height: auto; }
        }
        """

    /// A cairn of three stones.
    static let stones: StaticString = """
        <svg viewBox="0 0 32 32" aria-hidden="true"><ellipse cx="16" cy="25.5" rx="13" ry="4.6"/>\
        <ellipse cx="15" cy="16" rx="9.2" ry="4"/><ellipse cx="17" cy="8" rx="5.8" ry="3.2"/></svg>
        """
}
