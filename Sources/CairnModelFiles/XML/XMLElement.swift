/// An element of a small XML file, with all that is in it but text.
struct XMLElement: Equatable {
    var name: String
    var attributes: [String: String]
    var children: [XMLElement] = []
    /// Where it begins, from 1.
    var line = 0

    /// The value of an attribute; `nil` if it is absent.
    subscript(name: String) -> String? {
        get { attributes[name] }
        set { attributes[name] = newValue }
    }

    /// Returns whether the attribute says yes. Absent means no.
    func isYes(_ name: String) -> Bool {
        attributes[name].flatMap(XMLElement.truth) ?? false
    }

    /// `YES`, `true` and `1`, and their opposites, in any case. `nil` for anything else.
    static func truth(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "1": true
        case "no", "false", "0": false
        default: nil
        }
    }

    /// The children of that name, in order.
    func children(_ name: String) -> [XMLElement] {
        children.filter { $0.name == name }
    }

    /// The first child of that name. `nil` if it does not exist.
    func child(_ name: String) -> XMLElement? {
        children.first { $0.name == name }
    }
}
