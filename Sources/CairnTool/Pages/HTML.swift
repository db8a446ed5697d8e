import Cairn

/// Markup of a page, in which every text is escaped.
///
/// No initializer takes markup as a string. A value consists of texts, which are escaped, of elements with
/// known names, and of markup that only this file creates.
struct HTML: Sendable {
    /// The markup, as a part of a UTF-8 file.
    let markup: String

    private init(markup: String) { self.markup = markup }

    /// Empty markup.
    static let nothing = HTML(markup: "")

    /// A text, escaped. Characters that a page cannot contain, and characters that would change the direction
    /// of the text around them, become `�`.
    init(_ text: String) { self.init(markup: Self.escaped(text)) }

    /// Parts, concatenated.
    init(_ parts: [HTML]) { self.init(markup: parts.map(\.markup).joined()) }

    /// An element with its content.
    init(
        _ tag: HTMLTag, _ attributes: HTMLAttribute...,
        @HTMLBuilder content: () -> HTML = { .nothing }
    ) {
        let start = "<\(tag.rawValue)\(Self.markup(of: attributes))"
        // Elements without an end tag are written as in XML, so that XML parsers can read pages, too.
        let element =
            tag.isVoid ? start + " />" : "\(start)>\(content().markup)</\(tag.rawValue)>"
        self.init(markup: element + (tag.isBlock ? "\n" : ""))
    }

    /// A whole page in English.
    init(page head: HTML, body: HTML) {
        self.init(
            markup: "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n\(head.markup)</head>\n"
                + "<body>\n\(body.markup)</body>\n</html>\n")
    }

    /// A style sheet, which is part of the program.
    init(style: StaticString) { self.init(markup: "<style>\n\(style)\n</style>\n") }

    /// The drawing of a model. `ModelDiagram` escapes the model's names.
    init(diagramOf model: ManagedObjectModel) {
        self.init(markup: ModelDiagram(model).svg())
    }

    /// A drawing that is part of the program.
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
