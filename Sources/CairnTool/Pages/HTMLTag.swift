/// The elements that pages consist of. None of them runs or loads anything.
enum HTMLTag: String, Sendable {
    case a, article, bdi, caption, code, dd, details, div, dl, dt, figcaption, figure, footer, h1,
        h2, h3, header, input, label, li, main, meta, p, section, span, strong, summary, table,
        tbody, td, th,
        thead, title, tr, ul

    /// Whether the element has no content and no end tag.
    var isVoid: Bool { self == .meta || self == .input }

    /// Whether a line feed follows the element, which makes the source readable.
    var isBlock: Bool {
        switch self {
        case .a, .bdi, .code, .span, .strong, .summary, .td, .th, .dt, .dd: false
        default: true
        }
    }
}
