/// The styles of the page: a single column, readable on a phone, in print, and in dark mode.
enum HTMLStyle {
    static let sheet = """
        :root {
          --ink: #1c2430; --soft: #5b6675; --line: #dfe4ea; --paper: #ffffff; --tile: #f4f6f8;
          --ours: #2f6f8f; --baseline: #8b95a1; --peer: #c98a3a; --control: #c3cad2;
          --met: #2e7d4f; --missed: #c0392b;
          --sqlite: #2f6f8f; --lmdb: #c0662b; --binary: #5d8f3f; --xml: #8e5aa0; --memory: #6b7684;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ink: #e6e9ee; --soft: #9aa5b3; --line: #333c48; --paper: #161b22; --tile: #1f2630;
            --ours: #5aa6c9; --baseline: #75808d; --peer: #d9a45c; --control: #4a5562;
            --met: #5cb880; --missed: #e8695b;
            --sqlite: #5aa6c9; --lmdb: #e08a52; --binary: #8cc069; --xml: #b98bca; --memory: #9aa5b3;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 60rem; color: var(--ink);
          background: var(--paper); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto,
            "Helvetica Neue", Arial, sans-serif;
        }
        h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.01em; }
        h2 { font-size: 1.35rem; margin: 2.6rem 0 .3rem; letter-spacing: -.01em; }
        h3 { font-size: 1.02rem; margin: 1.4rem 0 .3rem; }
        .facts { margin: 0; color: var(--soft); font-size: .88rem; }
        .lead { margin: 0 0 1rem; color: var(--soft); max-width: 44rem; }
        .tiles { display: flex; flex-wrap: wrap; gap: .7rem; margin: 1.4rem 0 0; }
        .tile { background: var(--tile); border-radius: .6rem; padding: .7rem 1rem; flex: 1 1 8rem; }
        .tile b { display: block; font-size: 1.35rem; line-height: 1.25; }
        .tile span { color: var(--soft); font-size: .85rem; }
        .grid {
          display: grid; gap: 1.6rem 2rem;
          grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr));
        }
        .wide { grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); }
        figure { margin: 0; break-inside: avoid; }
        figcaption { font-size: .9rem; line-height: 1.35; margin-bottom: .3rem; }
        svg { display: block; width: 100%; height: auto; margin: .2rem 0; overflow: visible; }
        svg text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif;
          fill: var(--ink); }
        svg .tick { font-size: 11px; fill: var(--soft); }
        svg .strong { font-weight: 600; fill: var(--ink); }
        svg .value { font-variant-numeric: tabular-nums; }
        .gridline { stroke: var(--line); stroke-width: 1; }
        .limit { stroke: var(--ink); stroke-width: 1.5; }
        .stem { stroke-width: 2; opacity: .35; }
        .met { fill: var(--met); } .missed { fill: var(--missed); }
        .met-line { stroke: var(--met); } .missed-line { stroke: var(--missed); }
        .met-text, svg .met-text { color: var(--met); fill: var(--met); }
        .missed-text, svg .missed-text { color: var(--missed); fill: var(--missed);
          font-weight: 600; }
        .faint { opacity: .3; }
        .curve { fill: none; stroke-width: 2; }
        .dashed { stroke-dasharray: 4 4; opacity: .6; }
        .engine-SQLite { fill: var(--sqlite); } .line-SQLite { stroke: var(--sqlite); }
        .engine-LMDB { fill: var(--lmdb); } .line-LMDB { stroke: var(--lmdb); }
        .engine-Binary { fill: var(--binary); } .line-Binary { stroke: var(--binary); }
        .engine-XML { fill: var(--xml); } .line-XML { stroke: var(--xml); }
        .engine-InMemory { fill: var(--memory); } .line-InMemory { stroke: var(--memory); }
        svg .text-SQLite { fill: var(--sqlite); } svg .text-LMDB { fill: var(--lmdb); }
        svg .text-Binary { fill: var(--binary); } svg .text-XML { fill: var(--xml); }
        svg .text-InMemory { fill: var(--memory); }
        article { border-top: 1px solid var(--line); padding-top: .2rem; margin-top: 1.6rem; }
        .name { display: inline-block; background: var(--tile); border-radius: .35rem;
          padding: 0 .45rem; margin-right: .2rem; }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .8rem; margin: 0;
          font-size: .85rem; color: var(--soft); }
        dt { font-weight: 600; } dd { margin: 0; }
        .scroll { overflow-x: auto; break-inside: avoid; }
        table { border-collapse: collapse; width: 100%; margin: .8rem 0; font-size: .88rem;
          font-variant-numeric: tabular-nums; }
        caption { text-align: left; color: var(--soft); font-size: .82rem; padding-bottom: .15rem; }
        caption b { color: var(--ink); }
        th { font-weight: 500; color: var(--soft); font-size: .78rem; text-align: right; }
        td { text-align: right; white-space: nowrap; padding: .1rem 0 .1rem .8rem;
          border-top: 1px solid var(--line); }
        td.who { text-align: left; padding-left: 0; width: 46%; min-width: 11rem;
          white-space: normal; line-height: 1.25; }
        td.who span { display: block; }
        .overview { margin-top: 1.2rem; } .misses td.who { width: 72%; }
        .overview table { font-size: 1rem; margin: .6rem 0; }
        .overview thead th { font-size: .85rem; }
        .overview th[scope] { text-align: left; color: var(--ink); font-size: .95rem; }
        .overview td { vertical-align: top; padding: .3rem 0 .3rem .8rem; }
        .overview tbody th { vertical-align: top; padding: .3rem 0;
          border-top: 1px solid var(--line); }
        .overview td span { display: block; color: var(--peer); font-size: .8rem; }
        .overview td i { display: block; color: var(--soft); font-size: .75rem;
          font-style: normal; }
        .keys { margin: 0; padding: 0; list-style: none; color: var(--soft); font-size: .85rem; }
        .bar { height: 5px; border-radius: 2px; margin: .2rem 0 .05rem; min-width: 2px;
          print-color-adjust: exact; -webkit-print-color-adjust: exact; }
        .bar.ours { background: var(--ours); } .bar.baseline { background: var(--baseline); }
        .bar.peer { background: var(--peer); } .bar.control { background: var(--control); }
        @media (max-width: 34rem) {
          body { padding: 1rem .8rem 3rem; }
          dl { grid-template-columns: 1fr; } dd { margin-bottom: .3rem; }
          table { font-size: .8rem; } td { padding-left: .5rem; } td.who { min-width: 8rem; }
          article th:nth-child(3), article td:nth-child(3) { display: none; }
          .overview table { font-size: .85rem; } .overview td { padding-left: .3rem; }
          .overview thead th { font-size: .68rem; padding-left: .2rem; }
          .overview th[scope] { font-size: .8rem; }
          .overview td i { display: none; } .overview td span { font-size: .68rem; line-height: 1.2;
            white-space: normal; }
        }
        @media print {
          :root { --ink: #000; --soft: #444; --line: #bbb; --paper: #fff; --tile: #f2f2f2; }
          body { max-width: none; padding: 0; font-size: 10pt; }
          h2 { break-after: avoid; } h3 { break-after: avoid; }
          section { break-inside: auto; } .tile { border: 1px solid var(--line); }
        }
        """
}
