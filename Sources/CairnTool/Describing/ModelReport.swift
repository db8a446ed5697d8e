import Cairn

/// The stable JSON form of a model.
///
/// Later versions may add keys, but keys never change their meaning. If a model lacks something, its key is
/// absent, or empty if the type is not optional.
struct ModelReport: Encodable {
    struct EntityReport: Encodable {
        let versionHash: String
        let isAbstract: Bool
        let superentity: String?
        let className: String?
        let renamingIdentifier: String?
        let versionHashModifier: String?
        let userInfo: [String: String]?
        /// The entity's own and inherited attributes.
        let attributes: [String: AttributeReport]
        /// The entity's own and inherited relationships.
        let relationships: [String: RelationshipReport]
        /// The entity's own and inherited fetched properties.
        let fetchedProperties: [String: FetchRequestReport]?
        /// The entity's own and inherited uniqueness constraints.
        let uniquenessConstraints: [[String]]?
        /// The entity's own indexes, without inherited ones.
        let indexes: [IndexReport]?
    }

    struct AttributeReport: Encodable {
        let type: String
        let isOptional: Bool
        let isTransient: Bool
        let isDerived: Bool
        let defaultValue: JSONValue?
        let validationRules: [RuleReport]?
        let derivation: DerivationReport?
        let composite: String?
        let valueTransformer: String?
        let valueClass: String?
        let isExternal: Bool?
        let isIndexed: Bool?
        let renamingIdentifier: String?
        let versionHashModifier: String?
        let userInfo: [String: String]?
    }

    struct RuleReport: Encodable {
        let rule: String
        let value: JSONValue
        let warning: String?
    }

    struct DerivationReport: Encodable {
        let expression: String
        let filter: String?
    }

    struct RelationshipReport: Encodable {
        let destination: String
        let inverse: String?
        let isToMany: Bool
        let isOrdered: Bool
        let isOptional: Bool
        let deleteRule: String
        let isTransient: Bool?
        let minimumCount: Int?
        let maximumCount: Int?
        let renamingIdentifier: String?
        let versionHashModifier: String?
        let userInfo: [String: String]?
    }

    struct FetchRequestReport: Encodable {
        let entity: String
        let predicate: String?
        let sort: [SortReport]?
        let limit: Int?
        let offset: Int?
        let batchSize: Int?
        let resultType: String
        let includesSubentities: Bool
        let includesPropertyValues: Bool
        let includesPendingChanges: Bool
        let returnsObjectsAsFaults: Bool
        let returnsDistinctResults: Bool
    }

    struct SortReport: Encodable {
        let keyPath: String
        let isAscending: Bool
    }

    struct IndexReport: Encodable {
        struct Element: Encodable {
            let property: String?
            let expression: String?
            let type: String
            let isAscending: Bool
        }

        let name: String?
        let elements: [Element]
        let partialPredicate: String?
    }

    let entities: [String: EntityReport]
    let composites: [String: [String: AttributeReport]]?
    let configurations: [String: [String]]?
    let fetchRequests: [String: FetchRequestReport]?
    let versionIdentifiers: [String]?
    let versionChecksum: String

    init(_ model: ManagedObjectModel) {
        var entities: [String: EntityReport] = [:]
        for entity in model.entities { entities[entity.name] = EntityReport(entity) }
        self.entities = entities
        let description = model.description
        var composites: [String: [String: AttributeReport]] = [:]
        for composite in description.composites {
            composites[composite.name] = Dictionary(
                composite.elements.map { ($0.name, AttributeReport($0, model)) },
                uniquingKeysWith: { first, _ in first })
        }
        self.composites = composites.nonEmpty
        configurations = description.configurations.mapValues { $0.sorted() }.nonEmpty
        fetchRequests =
            description.fetchRequestTemplates.mapValues(FetchRequestReport.init).nonEmpty
        versionIdentifiers = description.versionIdentifiers.sorted().nonEmpty
        versionChecksum = model.versionChecksum
    }
}

extension ModelReport.EntityReport {
    init(_ entity: Entity) {
        let description = entity.description
        versionHash = entity.versionHash.description
        isAbstract = entity.isAbstract
        superentity = entity.superentity?.name
        className = description.managedObjectClassName
        renamingIdentifier = description.renamingIdentifier
        versionHashModifier = description.versionHashModifier
        userInfo = description.userInfo.nonEmpty
        var attributes: [String: ModelReport.AttributeReport] = [:]
        var relationships: [String: ModelReport.RelationshipReport] = [:]
        var fetched: [String: ModelReport.FetchRequestReport] = [:]
        for property in entity.properties {
            switch property {
            case .attribute(let attribute):
                attributes[attribute.name] = ModelReport.AttributeReport(
                    attribute.description, entity.model)
            case .relationship(let relationship):
                relationships[relationship.name] = ModelReport.RelationshipReport(
                    relationship.description)
            case .fetchedProperty(let property):
                fetched[property.description.name] = ModelReport.FetchRequestReport(
                    property.description.template)
            }
        }
        self.attributes = attributes
        self.relationships = relationships
        fetchedProperties = fetched.nonEmpty
        uniquenessConstraints = entity.uniquenessConstraints.nonEmpty
        indexes =
            (description.fetchIndexes.map(ModelReport.IndexReport.init)
            + description.compoundIndexes.map(ModelReport.IndexReport.init)).nonEmpty
    }
}

extension ModelReport.AttributeReport {
    init(_ attribute: AttributeDescription, _ model: ManagedObjectModel) {
        type = "\(attribute.type)"
        isOptional = attribute.isOptional
        isTransient = attribute.isTransient
        isDerived = attribute.derivation != nil
        defaultValue =
            attribute.defaultValue.isNull
            ? nil : JSONValue(attribute.defaultValue, model: model)
        validationRules =
            attribute.validationRules.map {
                ModelReport.RuleReport($0, model)
            }.nonEmpty
        derivation = attribute.derivation.map {
            ModelReport.DerivationReport(
                expression: $0.expression, filter: $0.filter?.description)
        }
        composite = attribute.compositeName
        valueTransformer = attribute.valueTransformerName
        valueClass = attribute.valueClassName
        isExternal = attribute.allowsExternalBinaryDataStorage ? true : nil
        isIndexed = attribute.isIndexed ? true : nil
        renamingIdentifier = attribute.renamingIdentifier
        versionHashModifier = attribute.versionHashModifier
        userInfo = attribute.userInfo.nonEmpty
    }
}

extension ModelReport.RuleReport {
    init(_ rule: ValidationRule, _ model: ManagedObjectModel) {
        switch rule {
        case .minimum(let value): self.init("minimum", JSONValue(value, model: model))
        case .maximum(let value): self.init("maximum", JSONValue(value, model: model))
        case .minimumLength(let count): self.init("minimumLength", .integer(Int64(count)))
        case .maximumLength(let count): self.init("maximumLength", .integer(Int64(count)))
        case .matches(let expression): self.init("matches", .text(expression))
        case .predicate(let predicate, let warning):
            self.init("predicate", .text(predicate.description), warning: warning)
        }
    }

    private init(_ rule: String, _ value: JSONValue, warning: String? = nil) {
        self.init(rule: rule, value: value, warning: warning)
    }
}

extension ModelReport.RelationshipReport {
    init(_ relationship: RelationshipDescription) {
        destination = relationship.destination
        inverse = relationship.inverse
        isToMany = relationship.isToMany
        isOrdered = relationship.isOrdered
        isOptional = relationship.isOptional
        deleteRule = "\(relationship.deleteRule)"
        isTransient = relationship.isTransient ? true : nil
        minimumCount = relationship.minimumCount > 0 ? relationship.minimumCount : nil
        maximumCount = relationship.maximumCount > 0 ? relationship.maximumCount : nil
        renamingIdentifier = relationship.renamingIdentifier
        versionHashModifier = relationship.versionHashModifier
        userInfo = relationship.userInfo.nonEmpty
    }
}

extension ModelReport.FetchRequestReport {
    init(_ template: FetchRequestTemplate) {
        entity = template.entity
        switch template.condition {
        case .predicate(let predicate): self.predicate = predicate.description
        case .unreadable(let text, _): predicate = text
        case nil: predicate = nil
        }
        sort =
            template.sortDescriptors.map {
                ModelReport.SortReport(keyPath: $0.keyPath, isAscending: $0.isAscending)
            }.nonEmpty
        limit = template.fetchLimit > 0 ? template.fetchLimit : nil
        offset = template.fetchOffset > 0 ? template.fetchOffset : nil
        batchSize = template.fetchBatchSize > 0 ? template.fetchBatchSize : nil
        resultType = "\(template.resultType)"
        includesSubentities = template.includesSubentities
        includesPropertyValues = template.includesPropertyValues
        includesPendingChanges = template.includesPendingChanges
        returnsObjectsAsFaults = template.returnsObjectsAsFaults
        returnsDistinctResults = template.returnsDistinctResults
    }
}

extension ModelReport.IndexReport {
    init(_ index: FetchIndexDescription) {
        name = index.name
        elements = index.elements.map { element in
            switch element.target {
            case .property(let name):
                Element(
                    property: name, expression: nil, type: "\(element.type)",
                    isAscending: element.isAscending)
            case .expression(let text):
                Element(
                    property: nil, expression: text, type: "\(element.type)",
                    isAscending: element.isAscending)
            }
        }
        partialPredicate = index.partialPredicate?.description
    }

    /// Creates the report of an index in the older form, which has no name.
    init(_ names: [String]) {
        name = nil
        elements = names.map {
            Element(property: $0, expression: nil, type: "binary", isAscending: true)
        }
        partialPredicate = nil
    }
}

extension Collection {
    /// The collection, or `nil` if it is empty.
    fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}
