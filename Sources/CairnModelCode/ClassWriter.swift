import CairnModel

/// A generator for the Swift classes of one entity.
struct ClassWriter {
    private let entity: Entity
    private let names: ClassNames
    private let types: PropertyTypes
    private let access: ModelCode.Access

    init(
        _ entity: Entity, _ names: ClassNames, _ types: PropertyTypes, _ access: ModelCode.Access
    ) {
        self.entity = entity
        self.names = names
        self.types = types
        self.access = access
    }

    private var superclass: String {
        entity.superentity.map(names.name(of:)) ?? names.type("ManagedObject", of: "Cairn")
    }

    /// A class needs `open` access to be a superclass in another module.
    private var openAccess: String { access == .public ? "open " : access.prefix }

    /// The source of the class that declares the entity's own properties. The entity's class inherits from
    /// it.
    var properties: String {
        """
        /// The properties of \(entity.name), as the model has them.
        \(openAccess)class \(names.properties(of: entity)): \(superclass) {
        \(members)}

        """
    }

    /// The text of the hand-written file, which contains the entity's class.
    var subclass: String {
        "import \(Self.framework)\n\n\(subclassHead): \(names.properties(of: entity)) {}\n"
    }

    private static let framework = "Cairn"

    /// The source of an entity's class that declares the properties itself.
    var wholeClass: String {
        """
        /// An object of \(entity.name).
        \(subclassHead): \(superclass) {
        \(members)}

        """
    }

    private var subclassHead: String {
        let isFinal = entity.subentities.isEmpty
        return (isFinal ? "\(access.prefix)final " : openAccess) + "class \(names.name(of: entity))"
    }

    private var members: String {
        let properties = entity.ownProperties.filter { !isUndeclared($0) }
        let renamed = properties.filter { ClassNames.propertyName($0.name) != $0.name }
        var text = ""
        if !renamed.isEmpty {
            let pairs = renamed.map { "\"\(ClassNames.propertyName($0.name))\": \"\($0.name)\"" }
            text += """
                    /// Names that every object uses for something else.
                    override \(access.prefix)class var modelNames: [String: String] {
                        super.modelNames.merging([\(pairs.joined(separator: ", "))]) { $1 }
                    }


                """
        }
        return text + properties.map(declaration).joined()
    }

    /// Returns whether the superentity already declares the property.
    private func isUndeclared(_ property: Property) -> Bool {
        entity.superentity?.property(named: property.name) != nil
    }

    private func declaration(_ property: Property) -> String {
        let plain = ClassNames.propertyName(property.name)
        let name = ClassNames.isKeyword(plain) ? "`\(plain)`" : plain
        switch property {
        case .attribute(let attribute):
            if let target = attribute.reference {
                let key = target.key.map { "`\(target.entity.name).\($0.name)`" } ?? "URI"
                return "    /// A reference by \(key).\n"
                    + "    @Managed \(access.prefix)var \(name): \(names.name(of: target.entity))?\n"
            }
            guard let type = types.type(of: attribute.description) else {
                return "    // “\(attribute.name)” has no declared type: use value(forKey:).\n"
            }
            return "    @Managed \(access.prefix)var \(name): \(type)\n"
        case .relationship(let relationship):
            return "    @Managed \(access.prefix)var \(name): \(type(of: relationship))\n"
        case .fetchedProperty(let property):
            return
                "    // “\(property.description.name)” is a fetched property: use value(forKey:).\n"
        }
    }

    private func type(of relationship: Relationship) -> String {
        let member = names.name(of: relationship.destination)
        if !relationship.isToMany { return "\(member)?" }
        let collection = relationship.isOrdered ? "OrderedMembers" : "Members"
        return "\(names.type(collection, of: "Cairn"))<\(member)>"
    }
}
