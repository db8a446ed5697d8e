/// The description of a model. Compiling it creates a ``ManagedObjectModel``.
public struct ModelDescription: Sendable, Hashable {
    /// The entities in any order. Compiling the model sorts and numbers them.
    public var entities: [EntityDescription]
    /// The types of composite attributes. Their names are unique.
    public var composites: [CompositeDescription] = []
    /// The names of the entities in each named configuration. The default configuration contains all entities
    /// and is not listed.
    public var configurations: [String: [String]] = [:]
    /// The fetch request templates by name. Names are case-sensitive.
    public var fetchRequestTemplates: [String: FetchRequestTemplate] = [:]
    /// Text that the author uses to distinguish versions. It is not part of the version hashes.
    public var versionIdentifiers: Set<String> = []

    /// Creates a description of a model that contains only these entities.
    public init(_ entities: [EntityDescription] = []) {
        self.entities = entities
    }
}

/// The description of a composite: a named group of attributes that is the value of one attribute.
public struct CompositeDescription: Sendable, Hashable {
    /// The name, which is unique among the model's composites. ``AttributeDescription/compositeName`` refers
    /// to it.
    public var name: String
    /// The elements in declared order. An element may itself be a composite.
    public var elements: [AttributeDescription]

    /// Creates a composite. It must not contain itself, directly or through other composites.
    public init(_ name: String, _ elements: [AttributeDescription]) {
        self.name = name
        self.elements = elements
    }
}

extension ModelDescription {
    /// Returns a version of the description from which everything is removed that would keep the model from
    /// being compiled but is not necessary for reading objects.
    ///
    /// This is for models that Core Data's tools created. They allow more than ``ManagedObjectModel`` does,
    /// and it must be possible to open a store with the model inside it. Index elements that are not property
    /// names become expressions, a regular expression that is invalid becomes a predicate, and a derivation
    /// that cannot be computed becomes one of an unsupported form. Fetch requests, fetched properties and
    /// members of configurations that refer to unknown entities are removed.
    package func forReading() -> ModelDescription {
        var result = self
        let names = Set(entities.map(\.name))
        let properties = propertyNames
        for index in result.entities.indices {
            let known = properties[result.entities[index].name] ?? []
            result.entities[index].keepForReading(properties: known, entities: names)
        }
        result.configurations = configurations.mapValues { $0.filter(names.contains) }
        result.fetchRequestTemplates = fetchRequestTemplates.filter {
            names.contains($0.value.entity)
        }
        result.replaceDerivations()
        return result
    }

    /// The names of each entity's properties, including inherited ones.
    private var propertyNames: [String: Set<String>] {
        let byName = Dictionary(
            entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        return byName.mapValues { entity in
            var names: Set<String> = []
            var seen: Set<String> = []
            var next: EntityDescription? = entity
            while let current = next, seen.insert(current.name).inserted {
                names.formUnion(current.properties.map(\.name))
                next = current.superentity.flatMap { byName[$0] }
            }
            return names
        }
    }

    /// Replaces derivations that cannot be computed. Only compiling the model reveals which ones these are.
    private mutating func replaceDerivations() {
        let hasDerived = entities.contains { $0.properties.contains { $0.derivation != nil } }
        guard hasDerived else { return }
        do {
            _ = try ManagedObjectModel(self)
        } catch {
            guard case .invalid(let problems) = error else { return }
            let derived = problems.filter { $0.kind == .invalidDerivation }
            for index in entities.indices {
                let names = derived.filter { $0.entity == entities[index].name }
                    .compactMap(\.property)
                entities[index].replaceDerivations(of: Set(names))
            }
        }
    }
}

extension EntityDescription {
    fileprivate mutating func keepForReading(properties known: Set<String>, entities: Set<String>) {
        for index in fetchIndexes.indices {
            for elementIndex in fetchIndexes[index].elements.indices {
                fetchIndexes[index].elements[elementIndex].keepForReading(properties: known)
            }
        }
        properties.removeAll { property in
            guard case .fetchedProperty(let fetched) = property else { return false }
            return !entities.contains(fetched.template.entity)
        }
        for index in properties.indices {
            guard case .attribute(var attribute) = properties[index] else { continue }
            guard !attribute.validationRules.isEmpty else { continue }
            attribute.validationRules = attribute.validationRules.map(\.forReading)
            properties[index] = .attribute(attribute)
        }
    }

    fileprivate mutating func replaceDerivations(of names: Set<String>) {
        guard !names.isEmpty else { return }
        for index in properties.indices where names.contains(properties[index].name) {
            guard case .attribute(var attribute) = properties[index] else { continue }
            if attribute.isTransient {
                attribute.derivation = nil
            } else {
                attribute.derivation?.expression = ""
            }
            properties[index] = .attribute(attribute)
        }
    }
}

extension PropertyDescription {
    fileprivate var derivation: Derivation? {
        if case .attribute(let attribute) = self { attribute.derivation } else { nil }
    }
}

extension FetchIndexDescription.Element {
    /// Converts a name that is not the name of a property to an expression, such as `entity`.
    fileprivate mutating func keepForReading(properties known: Set<String>) {
        guard case .property(let name) = target, !known.contains(name),
            // A path into a composite, such as "address.city".
            !known.contains(String(name.prefix { $0 != "." }))
        else { return }
        target = .expression(name.lowercased() == "self" ? "SELF" : name)
    }
}

extension ValidationRule {
    fileprivate var forReading: ValidationRule {
        guard case .matches(let pattern) = self, (try? TextExpression(pattern)) == nil else {
            return self
        }
        let matches = PredicateComparison(.evaluatedObject, .matches, .constant(.string(pattern)))
        return .predicate(.comparison(matches), warning: "")
    }
}
