/// An element of a small XML file, with its attributes and children but without its text.
struct XMLElement: Equatable {
    var name: String
    var attributes: [String: String]
    var children: [XMLElement] = []
    /// The number of the line on which the element begins, counted from 1.
    var line = 0

    /// The value of an attribute, or `nil` if it is missing.
    subscript(name: String) -> String? {
        get { attributes[name] }
        set { attributes[name] = newValue }
    }

    /// Returns whether an attribute is true. Returns `false` if it is missing.
    func isTrue(_ name: String) -> Bool {
        attributes[name].flatMap(XMLElement.truth) ?? false
    }

    /// Returns `true` for `YES`, `true` and `1`, `false` for their opposites, ignoring case, and `nil` for
    /// any other text.
    static func truth(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "1": true
        case "no", "false", "0": false
        default: nil
        }
    }

    /// Returns the children with this name, in order.
    func children(_ name: String) -> [XMLElement] {
        children.filter { $0.name == name }
    }

    /// Returns the first child with this name, or `nil` if there is no such child.
    func child(_ name: String) -> XMLElement? {
        children.first { $0.name == name }
    }
}
