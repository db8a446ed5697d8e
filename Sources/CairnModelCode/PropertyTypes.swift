import CairnModel

/// The Swift types of a model's attributes.
struct PropertyTypes {
    private let names: ClassNames
    /// The names of the composites that become structures. All of their elements have Swift types.
    private var written: Set<String> = []

    init(_ model: ManagedObjectModel, _ names: ClassNames) {
        self.names = names
        // Each iteration adds the composites that contain only composites of previous iterations.
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

    /// Returns whether the composite becomes a structure.
    func isWritten(_ composite: CompositeDescription) -> Bool { written.contains(composite.name) }

    /// Returns the Swift type of an attribute, or `nil` if its type cannot be expressed in Swift.
    func type(of attribute: AttributeDescription) -> String? {
        guard let type = plainType(of: attribute) else { return nil }
        let isNumber = attribute.type.isNumeric || attribute.type == .boolean
        // As in Core Data, a number that may be nil has an optional type, unless the model says “scalar”.
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
