/// The colours and fonts of a diagram.
enum SVGStyle {
    static func text(_ theme: ModelDiagram.Theme) -> String {
        switch theme {
        case .light: shapes + light
        case .dark: shapes + dark
        case .automatic:
            shapes + light + "@media screen and (prefers-color-scheme:dark){\(dark)}"
        }
    }

    private static let shapes =
        "text{font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}"
        + ".name{font-weight:bold}.abstract{font-style:italic}"
        + ".line,.parent,.rule{fill:none;stroke-width:1.2}.parent{stroke-dasharray:5 3}"
        + ".triangle{stroke-width:1.2}.box{stroke-width:1.2}"

    /// In both themes, the contrast between text and background is at least 4.5 to 1.
    private static let light =
        ".page{fill:#fff}.box{fill:#f6f7f9;stroke:#5b6470}.rule{stroke:#c3c9d1}"
        + ".name{fill:#11151a}.attribute{fill:#22282f}.relationship{fill:#0b4f9e}"
        + ".detail{fill:#59616b}.line{stroke:#0b4f9e}.parent{stroke:#5b6470}"
        + ".triangle{fill:#fff;stroke:#5b6470}"

    private static let dark =
        ".page{fill:#15181c}.box{fill:#20252b;stroke:#8b95a1}.rule{stroke:#434b55}"
        + ".name{fill:#f2f4f7}.attribute{fill:#dde2e8}.relationship{fill:#8cc0ff}"
        + ".detail{fill:#a6afba}.line{stroke:#8cc0ff}.parent{stroke:#a6afba}"
        + ".triangle{fill:#15181c;stroke:#a6afba}"
}
