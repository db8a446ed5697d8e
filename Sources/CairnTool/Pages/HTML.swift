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
