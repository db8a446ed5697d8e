import CairnModel

/// A generator for the Swift structure of one composite.
struct CompositeWriter {
    private let composite: CompositeDescription
    private let names: ClassNames
    private let types: PropertyTypes
    private let access: ModelCode.Access

    init(
        _ composite: CompositeDescription, _ names: ClassNames, _ types: PropertyTypes,
        _ access: ModelCode.Access
    ) {
        self.composite = composite
        self.names = names
        self.types = types
        self.access = access
    }

    /// The name of the structure.
    var name: String {
        names.name(ofComposite: composite.name) ?? ClassNames.typeName(composite.name)
    }

    /// The source of the structure.
    var structure: String {
        let prefix = access.prefix
        let attribute = names.type("CompositeAttribute", of: "Cairn")
        let element = names.type("CompositeElement", of: "Cairn")
        let renamed =
            name == composite.name
            ? "" : "    \(prefix)static var compositeName: String { \"\(composite.name)\" }\n\n"
        return """
            /// A value of the composite \(composite.name).
            \(prefix)struct \(name): \(attribute), Hashable, Sendable {
            \(properties.map(declaration).joined())
            \(renamed)    \(prefix)static let elements: [\(element)<\(name)>] = [
            \(properties.map { "        \(element)(\"\($0.original)\", \\.\($0.name)),\n" }.joined())    ]
            \(initializers)}

            """
    }

    private struct Property {
        let original: String
        /// The name in Swift, in backticks if it is a keyword.
        let name: String
        let type: String
    }

    private var properties: [Property] {
        composite.elements.compactMap { element in
            types.type(of: element).map { type in
                Property(
                    original: element.name, name: ClassNames.elementName(element.name), type: type)
            }
        }
    }

    private func declaration(_ property: Property) -> String {
        let value = property.type.hasSuffix("?") ? "" : " = .valueOfNil"
        return "    \(access.prefix)var \(property.name): \(property.type)\(value)\n"
    }

    /// The source of the initializers. Empty for an internal structure, because Swift synthesizes internal
    /// initializers.
    private var initializers: String {
        if access == .internal { return "" }
        let parameters = properties.map { property in
            let value = property.type.hasSuffix("?") ? "nil" : ".valueOfNil"
            return "\(property.name): \(property.type) = \(value)"
        }.joined(separator: ", ")
        let assignments = properties.map { "        self.\($0.name) = \($0.name)\n" }.joined()
        return """

                \(access.prefix)init() {}

                \(access.prefix)init(\(parameters)) {
            \(assignments)    }

            """
    }
}
