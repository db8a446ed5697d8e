import Cairn

/// Markup of a page. All text in it is escaped.
///
/// There is no initializer that takes markup as a string. A value consists of text, which is escaped, of
/// elements with known names, and of markup that this file creates itself.
struct HTML: Sendable {
    /// The markup, as part of a UTF-8 file.
    let markup: String

    private init(markup: String) { self.markup = markup }

    /// Empty markup.
    static let nothing = HTML(markup: "")

    /// Creates markup from text. `�` replaces characters that are not allowed in a page, and characters that
    /// would change the direction of the surrounding text.
    init(_ text: String) { self.init(markup: Self.escaped(text)) }

    /// Creates markup from consecutive parts.
    init(_ parts: [HTML]) { self.init(markup: parts.map(\.markup).joined()) }

    /// Creates an element with its content.
    init(
        _ tag: HTMLTag, _ attributes: HTMLAttribute...,
        @HTMLBuilder content: () -> HTML = { .nothing }
    ) {
        let start = "<\(tag.rawValue)\(Self.markup(of: attributes))"
        // Write void elements as in XML, so that XML parsers can read pages, too.
        let element =
            tag.isVoid ? start + " />" : "\(start)>\(content().markup)</\(tag.rawValue)>"
        self.init(markup: element + (tag.isBlock ? "\n" : ""))
    }

    /// Creates a whole page in English.
    init(page head: HTML, body: HTML) {
        self.init(
            markup: "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n\(head.markup)</head>\n"
                + "<body>\n\(body.markup)</body>\n</html>\n")
    }

    /// Creates a style element. The style sheet is part of the program.
    init(style: StaticString) { self.init(markup: "<style>\n\(style)\n</style>\n") }

    /// Creates the drawing of a model. `ModelDiagram` escapes the names in the model.
    init(diagramOf model: ManagedObjectModel) {
        self.init(markup: ModelDiagram(model).svg())
    }

    /// Creates a drawing that is part of the program.
    init(drawing: StaticString) { self.init(markup: "\(drawing)") }

    private static func markup(of attributes: [HTMLAttribute]) -> String {
        attributes.map { " \($0.name)=\"\(escaped($0.value))\"" }.joined()
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\t", "\n": escaped.unicodeScalars.append(scalar)
            case "\u{0}"..<" ", "\u{7F}"..<"\u{A0}", "\u{202A}"..."\u{202E}",
                "\u{2066}"..."\u{2069}":
                escaped += "\u{FFFD}"
            default:
                escaped.unicodeScalars.append(
                    scalar.properties.isNoncharacterCodePoint ? "\u{FFFD}" : scalar)
            }
        }
        return escaped
    }
}

/// An attribute of an HTML element. Its value is escaped when it is written.
///
/// A link can only lead to an element of the same page, so that no value of a store can become a URL.
struct HTMLAttribute: Sendable {
    let name: String
    let value: String

    private init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    static func `class`(_ name: StaticString) -> Self { Self("class", "\(name)") }
    static func id(_ name: String) -> Self { Self("id", name) }
    static func link(toID name: String) -> Self { Self("href", "#\(name)") }
    static func title(_ text: String) -> Self { Self("title", text) }
    static func charset(_ name: StaticString) -> Self { Self("charset", "\(name)") }
    static func name(_ name: StaticString) -> Self { Self("name", "\(name)") }
    static func equivalent(_ header: StaticString) -> Self { Self("http-equiv", "\(header)") }
    static func content(_ text: String) -> Self { Self("content", text) }
    static func scope(_ name: StaticString) -> Self { Self("scope", "\(name)") }
    /// Makes an element focusable, so that it can be scrolled with the keyboard.
    static let focusable = Self("tabindex", "0")
    static let region = Self("role", "region")
    static let checkbox = Self("type", "checkbox")
    static func `for`(_ id: String) -> Self { Self("for", id) }
    static func label(_ text: String) -> Self { Self("aria-label", text) }
    /// A fraction from 0 to 1, which the style sheet uses as `--share`.
    static func share(_ share: Double) -> Self {
        let thousandths = Int((min(1, max(0, share)) * 1000).rounded())
        return Self("style", "--share:\(Double(thousandths) / 1000)")
    }
}

/// A result builder that concatenates text and elements. Text is escaped.
@resultBuilder
enum HTMLBuilder {
    static func buildExpression(_ text: String) -> HTML { HTML(text) }
    static func buildExpression(_ element: HTML) -> HTML { element }
    static func buildExpression(_ elements: [HTML]) -> HTML { HTML(elements) }
    static func buildBlock(_ parts: HTML...) -> HTML { HTML(parts) }
    static func buildOptional(_ part: HTML?) -> HTML { part ?? .nothing }
    static func buildEither(first part: HTML) -> HTML { part }
    static func buildEither(second part: HTML) -> HTML { part }
    static func buildArray(_ parts: [HTML]) -> HTML { HTML(parts) }
}

/// The elements that pages may contain. None of them runs or loads anything.
enum HTMLTag: String, Sendable {
    case a, article, bdi, caption, code, dd, details, div, dl, dt, figcaption, figure, footer, h1,
        h2, h3, header, input, label, li, main, meta, p, section, span, strong, summary, table,
        tbody, td, th,
        thead, title, tr, ul

    /// Whether the element is void: it has no content and no end tag.
    var isVoid: Bool { self == .meta || self == .input }

    /// Whether a line break follows the element, to make the source readable.
    var isBlock: Bool {
        switch self {
        case .a, .bdi, .code, .span, .strong, .summary, .td, .th, .dt, .dd: false
        default: true
        }
    }
}
