import CairnModel

/// The Swift names of a model's entities and properties.
struct ClassNames {
    private var classNames: [String: String] = [:]
    private var structureNames: [String: String] = [:]
    /// The types that generated code uses and that a class of the model hides.
    private var hidden: Set<String> = []

    init(_ model: ManagedObjectModel) {
        let declared = model.entities.map { entity in
            Self.typeName(
                entity.description.managedObjectClassName
                    .flatMap { $0.split(separator: ".").last.map(String.init) } ?? entity.name)
        }
        let counts = Dictionary(declared.map { ($0, 1) }, uniquingKeysWith: +)
        for (entity, name) in zip(model.entities, declared) {
            // A class that several entities share, or that belongs to Core Data, cannot be generated for this
            // entity.
            let isOwn = counts[name] == 1 && name != "NSManagedObject" && name != "ManagedObject"
            classNames[entity.name] = isOwn ? name : Self.typeName(entity.name)
        }
        hidden = Set(classNames.values)
        for composite in model.description.composites {
            var name = Self.typeName(composite.name)
            while hidden.contains(name) { name += "Composite" }
            structureNames[composite.name] = name
            hidden.insert(name)
        }
    }

    /// Returns the structure of a composite, or `nil` if the model has no such composite.
    func name(ofComposite name: String?) -> String? { name.flatMap { structureNames[$0] } }

    /// The class of an entity's objects.
    func name(of entity: Entity) -> String { classNames[entity.name] ?? entity.name }

    /// The generated class with the entity's own properties.
    func properties(of entity: Entity) -> String { "\(name(of: entity))Properties" }

    /// Returns the name of a framework's type, with its module if a class of the model hides it.
    func type(_ name: String, of module: String) -> String {
        hidden.contains(name) ? "\(module).\(name)" : name
    }

    /// Returns a name that is valid for a type.
    static func typeName(_ text: String) -> String {
        let name = text.filter { $0.isLetter || $0.isNumber || $0 == "_" }
        guard let first = name.first else { return "Model" }
        let isUsable =
            (first.isLetter || first == "_") && !["Type", "Protocol", "self", "Any"].contains(name)
        return isUsable ? name : "_\(name)"
    }

    /// Returns the name of a property. If every managed object already has a property with that name, `Value`
    /// is appended.
    static func propertyName(_ name: String) -> String {
        taken.contains(name) ? "\(name)Value" : name
    }

    /// Returns the name of a composite's element in Swift notation.
    static func elementName(_ name: String) -> String {
        let plain =
            ["attributeValue", "init", "self", "Type"].contains(name) ? "\(name)Value" : name
        return isKeyword(plain) ? "`\(plain)`" : plain
    }

    /// Whether a name must be in backticks.
    static func isKeyword(_ name: String) -> Bool { keywords.contains(name) }

    /// The public members of `ManagedObject` that have no arguments.
    private static let taken: Set<String> = [
        "awaitsDeletion", "computedValue", "description", "entity", "faultingState", "hasChanges",
        "hasPersistentChangedValues", "hash", "hashValue", "isDeleted", "isFault", "isInserted",
        "isUpdated", "managedObjectContext", "objectID", "rowVersion", "init", "self", "Type",
    ]

    private static let keywords: Set<String> = [
        "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
        "inout", "internal", "let", "open", "operator", "private", "precedencegroup", "protocol",
        "public", "rethrows", "static", "struct", "subscript", "typealias", "var", "break", "case",
        "catch", "continue", "default", "defer", "do", "else", "fallthrough", "for", "guard", "if",
        "in", "repeat", "return", "throw", "switch", "where", "while", "Any", "as", "false", "is",
        "nil", "super", "throws", "true", "try",
    ]
}
