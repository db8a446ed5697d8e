import CairnModel

/// The Swift names of a model's entities, composites and properties.
struct ClassNames {
    private var classNames: [String: String] = [:]
    private var structureNames: [String: String] = [:]
    /// The names of generated types. They hide types of the same names that the generated code refers to.
    private var hidden: Set<String> = []

    init(_ model: ManagedObjectModel) {
        let declared = model.entities.map { entity in
            Self.typeName(
                entity.description.managedObjectClassName
                    .flatMap { $0.split(separator: ".").last.map(String.init) } ?? entity.name)
        }
        let counts = Dictionary(declared.map { ($0, 1) }, uniquingKeysWith: +)
        for (entity, name) in zip(model.entities, declared) {
            // If several entities share the class, or it is Core Data's own class, use the entity's name
            // instead.
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

    /// Returns the name of a composite's structure. Returns `nil` if the model has no such composite.
    func name(ofComposite name: String?) -> String? { name.flatMap { structureNames[$0] } }

    /// Returns the name of the class of an entity's objects.
    func name(of entity: Entity) -> String { classNames[entity.name] ?? entity.name }

    /// Returns the name of the generated class that declares the entity's own properties.
    func properties(of entity: Entity) -> String { "\(name(of: entity))Properties" }

    /// Returns the name of a framework's type. Adds the module's name if a generated type hides the
    /// framework's type.
    func type(_ name: String, of module: String) -> String {
        hidden.contains(name) ? "\(module).\(name)" : name
    }

    /// Returns a valid type name for a string.
    static func typeName(_ text: String) -> String {
        let name = text.filter { $0.isLetter || $0.isNumber || $0 == "_" }
        guard let first = name.first else { return "Model" }
        let isUsable =
            (first.isLetter || first == "_") && !["Type", "Protocol", "self", "Any"].contains(name)
        return isUsable ? name : "_\(name)"
    }

    /// Returns the Swift name of a property. Appends `Value` if every object already has a property with
    /// the name, or Swift reserves it for members.
    static func propertyName(_ name: String) -> String {
        SwiftName.members.contains(name) || ["init", "self", "Type"].contains(name)
            ? "\(name)Value" : name
    }

    /// Returns the Swift name of a composite's element, in backticks if it is a keyword.
    static func elementName(_ name: String) -> String {
        let plain =
            ["_attributeValue", "init", "self", "Type"].contains(name) ? "\(name)Value" : name
        return isKeyword(plain) ? "`\(plain)`" : plain
    }

    /// Returns whether a name needs backticks.
    static func isKeyword(_ name: String) -> Bool { keywords.contains(name) }

    private static let keywords: Set<String> = [
        "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
        "inout", "internal", "let", "open", "operator", "private", "precedencegroup", "protocol",
        "public", "rethrows", "static", "struct", "subscript", "typealias", "var", "break", "case",
        "catch", "continue", "default", "defer", "do", "else", "fallthrough", "for", "guard", "if",
        "in", "repeat", "return", "throw", "switch", "where", "while", "Any", "as", "false", "is",
        "nil", "super", "throws", "true", "try",
    ]
}
