/// An attribute of an element. Its value is escaped when it is written.
///
/// A link can only refer to an element of the same page, so no value of a store can become a URL.
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
    /// A fraction from 0 to 1, for the variable `--share` of the style sheet.
    static func share(_ share: Double) -> Self {
        let thousandths = Int((min(1, max(0, share)) * 1000).rounded())
        return Self("style", "--share:\(Double(thousandths) / 1000)")
    }
}
