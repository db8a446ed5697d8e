/// The styles of the page: readable on a phone, on a large screen, in print, and in dark mode.
enum HTMLStyle {
    static let sheet = """
        :root {
          --ink: #1c2430; --soft: #56606e; --line: #dfe4ea; --paper: #ffffff; --tile: #eef1f4;
          --bar: #9dbccb; --best: #2f6f8f; --peer: #c2680f;
          --sqlite: #2f6f8f; --lmdb: #b8571a; --binary: #4a7a2e; --xml: #8e5aa0; --memory: #6b7684;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ink: #e6e9ee; --soft: #9aa5b3; --line: #333c48; --paper: #161b22; --tile: #262e39;
            --bar: #4a7084; --best: #6fc0e6; --peer: #f0a24a;
            --sqlite: #5aa6c9; --lmdb: #e08a52; --binary: #8cc069; --xml: #b98bca; --memory: #9aa5b3;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0 auto; padding: 1rem 1.2rem 4rem; max-width: 84rem; color: var(--ink);
          background: var(--paper); font: 1rem/1.45 system-ui, -apple-system, "Segoe UI", Roboto,
            "Helvetica Neue", Arial, sans-serif;
        }
        h1 { font-size: 1.5rem; line-height: 1.2; margin: 0; letter-spacing: -.01em; }
        h2 { font-size: 1.3rem; margin: 2.4rem 0 .3rem; letter-spacing: -.01em; }
        h3 { font-size: 1.02rem; margin: 1.2rem 0 .2rem; }
        .facts { margin: 0; color: var(--soft); font-size: .85rem; }
        .lead, .method { margin: 0 0 .8rem; color: var(--soft); max-width: 52rem; }
        .method { font-size: .88rem; }
        .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden;
          clip-path: inset(50%); white-space: nowrap; }
        .grid {
          display: grid; gap: .9rem 1.5rem; align-items: start;
          grid-template-columns: repeat(auto-fill, minmax(min(100%, 17.5rem), 1fr));
        }
        table { border-collapse: collapse; width: 100%; font-size: .88rem; margin: .6rem 0;
          font-variant-numeric: tabular-nums; }
        caption { text-align: left; font-size: .82rem; color: var(--soft); padding-bottom: .15rem; }
        caption b { color: var(--ink); }
        th { text-align: left; font-weight: 400; padding: .1rem .6rem .1rem 0; }
        td { text-align: right; padding: .1rem 0 .1rem .6rem; white-space: nowrap; }
        thead th { color: var(--soft); font-size: .8rem; }
        tbody tr { border-top: 1px solid var(--line); }
        details td:first-of-type, details thead th:not(:first-child) { text-align: right; }
        .choices { width: auto; margin: .7rem 0; font-size: .95rem; }
        .choices td { text-align: left; padding: .12rem 0 .12rem 1.2rem; white-space: normal; }
        .choices thead th { padding: .1rem 0 .1rem 1.2rem; }
        .choices thead th:first-child { padding-left: 0; }
        .choices b { color: var(--best); } .choices span { white-space: nowrap; }
        .choices td:nth-child(n+3) { color: var(--soft); }
        .properties td, .properties th { text-align: left; padding: .1rem 1.2rem .1rem 0; }
        .bars { margin: 0; position: relative; }
        .bars caption { font-size: .8rem; line-height: 1.3; }
        .bars caption b { font-size: .95rem; }
        .bars caption span { display: block; }
        .bars tbody tr { border: 0; }
        .bars tbody th { min-width: 5.1rem; padding: 0 .3rem 0 0; font-size: .85rem; white-space: nowrap; }
        .bars td { padding: 0 0 0 .3rem; min-width: 4.3rem; }
        .bars td.track { width: 99%; min-width: 0; padding: 0; }
        .bars td:last-child { min-width: 2.9rem; color: var(--soft); font-size: .8rem; }
        .fastest, .fastest th { font-weight: 600; letter-spacing: -.01em; }
        .strip { position: relative; height: .72rem; background: var(--tile); border-radius: 2px; }
        .strip div { height: 100%; background: var(--bar); border-radius: 2px;
          print-color-adjust: exact; -webkit-print-color-adjust: exact; }
        .fastest .strip div { background: var(--best); }
        .torn { clip-path: polygon(0 0, 100% 0, calc(100% - .5rem) 34%, 100% 67%,
          calc(100% - .5rem) 100%, 0 100%); background: var(--bar); }
        .strip i { position: absolute; top: -.12rem; bottom: -.12rem; width: .16rem;
          margin-left: -.08rem; background: var(--ink); outline: 1px solid var(--paper); }
        .strip i.peer { width: .55rem; height: .55rem; top: .08rem; margin-left: -.28rem;
          background: var(--peer); transform: rotate(45deg); }
        .legend { margin: .5rem 0 .7rem; color: var(--soft); font-size: .85rem; }
        .legend span { margin-left: .8rem; white-space: nowrap; }
        .legend i { display: inline-block; margin-right: .4rem; vertical-align: -.1rem; }
        .legend i.library { width: .16rem; height: .95rem; background: var(--ink); }
        .legend i.peer { width: .55rem; height: .55rem; background: var(--peer);
          transform: rotate(45deg); vertical-align: .05rem; }
        .legend i.torn { width: 1.6rem; height: .72rem; vertical-align: 0; }
        figure { margin: 0; break-inside: avoid; } figcaption { font-size: .9rem; }
        svg { display: block; width: 100%; height: auto; margin: .2rem 0; overflow: visible; }
        svg text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif;
          fill: var(--ink); }
        svg .tick { font-size: 11px; fill: var(--soft); }
        .gridline { stroke: var(--line); stroke-width: 1; }
        .curve { fill: none; stroke: var(--soft); stroke-width: 2; }
        .dashed { stroke-dasharray: 4 4; opacity: .6; }
        .engine-SQLite { fill: var(--sqlite); } .curve.line-SQLite { stroke: var(--sqlite); }
        .engine-LMDB { fill: var(--lmdb); } .curve.line-LMDB { stroke: var(--lmdb); }
        .engine-Binary { fill: var(--binary); } .curve.line-Binary { stroke: var(--binary); }
        .engine-XML { fill: var(--xml); } .curve.line-XML { stroke: var(--xml); }
        .engine-InMemory { fill: var(--memory); } .curve.line-InMemory { stroke: var(--memory); }
        svg .text-SQLite { fill: var(--sqlite); } svg .text-LMDB { fill: var(--lmdb); }
        svg .text-Binary { fill: var(--binary); } svg .text-XML { fill: var(--xml); }
        svg .text-InMemory { fill: var(--memory); }
        article { border-top: 1px solid var(--line); margin-top: 1.2rem; }
        .name { display: inline-block; background: var(--tile); border-radius: .35rem;
          padding: 0 .45rem; }
        details { margin: .5rem 0; font-size: .95rem; } summary { color: var(--soft); cursor: pointer; }
        .scroll { overflow-x: auto; break-inside: avoid; }
        code { background: var(--tile); border-radius: .25rem; padding: 0 .3rem; }
        @media (min-width: 60rem) {
          article { display: grid; grid-template-columns: minmax(0, 31rem) 1fr; gap: 0 2rem;
            grid-template-rows: auto 1fr auto; padding-top: .3rem; }
          article h3 { margin-top: 0; }
          article .grid { grid-column: 2; grid-row: 1 / span 2; }
          article details { grid-column: 1 / -1; margin: 0; }
        }
        @media (min-width: 110rem) { html { font-size: 20px; } }
        @media (min-width: 150rem) { html { font-size: 25px; } }
        @media (max-width: 40rem) {
          body { padding: .8rem .8rem 3rem; }
          .choices, .choices tbody, .choices tr, .choices th { display: block; }
          .choices thead th:not(:first-child) { display: none; }
          .choices tr { padding: .25rem 0; } .choices th { padding: 0; }
          .choices tbody th::before { content: "… "; }
          .choices td { display: inline; padding: 0; }
          .choices td:nth-child(3):not(:empty)::before { content: ", then "; }
          .choices td:last-child { display: block; font-size: .8rem; }
          .legend span { margin-left: 0; display: block; white-space: normal; }
        }
        @media print {
          :root { --ink: #000; --soft: #444; --line: #bbb; --paper: #fff; --tile: #f2f2f2; }
          body { max-width: none; padding: 0; font-size: 10pt; }
          h2, h3 { break-after: avoid; } .bars, tr { break-inside: avoid; }
        }
        """
}
