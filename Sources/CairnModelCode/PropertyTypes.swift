import CairnModel

/// The Swift types of a model's attributes.
struct PropertyTypes {
    private let names: ClassNames
    /// The composites that have structures, because each of their elements has a Swift type.
    private var written: Set<String> = []

    init(_ model: ManagedObjectModel, _ names: ClassNames) {
        self.names = names
        // Each round adds the composites whose elements are only composites of the previous rounds.
        var isGrowing = true
        while isGrowing {
            let more = model.description.composites.filter { composite in
                !written.contains(composite.name)
                    && composite.elements.allSatisfy { type(of: $0) != nil }
            }
            written.formUnion(more.map(\.name))
            isGrowing = !more.isEmpty
        }
    }

    /// Whether the composite has a structure.
    func isWritten(_ composite: CompositeDescription) -> Bool { written.contains(composite.name) }

    /// Returns the Swift type, or `nil` if no Swift type represents the attribute's values.
    func type(of attribute: AttributeDescription) -> String? {
        guard let type = plainType(of: attribute) else { return nil }
        let isNumber = attribute.type.isNumeric || attribute.type == .boolean
        // As in Core Data, the type of a number that may be `nil` is an optional, unless the model declares
        // it as scalar.
        let isOptional = attribute.isOptional && !(isNumber && attribute.usesScalarValueType)
        return isOptional ? "\(type)?" : type
    }

    private func plainType(of attribute: AttributeDescription) -> String? {
        switch attribute.type {
        case .integer16: names.type("Int16", of: "Swift")
        case .integer32: names.type("Int32", of: "Swift")
        case .integer64: names.type("Int", of: "Swift")
        case .double: names.type("Double", of: "Swift")
        case .float: names.type("Float", of: "Swift")
        case .boolean: names.type("Bool", of: "Swift")
        case .string: names.type("String", of: "Swift")
        case .decimal: names.type("Decimal", of: "Foundation")
        case .date: names.type("Date", of: "Foundation")
        case .uuid: names.type("UUID", of: "Foundation")
        case .uri: names.type("URL", of: "Foundation")
        case .binary, .transformable: names.type("Data", of: "Foundation")
        case .composite:
            attribute.compositeName.flatMap { written.contains($0) ? $0 : nil }
                .flatMap(names.name(ofComposite:))
        case .undefined, .objectID: nil
        }
    }
}
