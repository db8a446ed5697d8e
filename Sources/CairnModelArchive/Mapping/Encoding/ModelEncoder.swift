import CairnModel

/// Encodes a model as a keyed archive.
struct ModelEncoder {
    /// The two forms of archives that Core Data's tools write.
    enum Form {
        /// A `.mom` file, in which each property occurs once, in the entity that declares it.
        case file
        /// `Z_MODELCACHE`, in which each entity also has copies of inherited properties, and the entities are
        /// in a dictionary of a different class.
        case cache
    }

    typealias Node = BinaryPropertyList.Node

    let model: ManagedObjectModel
    let form: Form
    var values = ArchiveValueEncoder()
    /// The object numbers of entities. They are reserved because other objects refer to entities before they
    /// are encoded.
    private(set) var entityNumbers: [String: Int] = [:]
    private var propertyNumbers: [String: [String: Int]] = [:]
    private(set) var modelNumber = 0

    init(_ model: ManagedObjectModel, form: Form) {
        self.model = model
        self.form = form
    }

    mutating func encode() -> [UInt8] {
        modelNumber = values.builder.reserve()
        for entity in model.entities {
            entityNumbers[entity.name] = values.builder.reserve()
            for property in archivedProperties(of: entity) {
                propertyNumbers[entity.name, default: [:]][property.name] = values.builder.reserve()
            }
        }
        for entity in model.entities { encode(entity) }
        let fields: [(String, Node)] = [
            ("NSEntities", .reference(encodeEntities())),
            ("NSFetchRequestTemplates", .reference(encodeTemplates())),
            ("NSVersionIdentifiers", .reference(encodeVersionIdentifiers())),
        ]
        values.builder.fill(
            modelNumber, "NSManagedObjectModel",
            fields + encodeConfigurations() + encodeComposites())
        return values.builder.finish(root: modelNumber)
    }

    /// Returns the properties that the form contains in the entity's `NSProperties`.
    func archivedProperties(of entity: Entity) -> [Property] {
        form == .cache ? entity.properties : entity.ownProperties
    }

    /// Returns the object number of a property: that of the entity's own copy, or else that in the nearest
    /// superentity. Returns 0 if there is no such property.
    func number(of property: String, in entity: Entity) -> Int {
        var next: Entity? = entity
        while let candidate = next {
            if let number = propertyNumbers[candidate.name]?[property] { return number }
            next = candidate.superentity
        }
        return 0
    }

    private mutating func encodeEntities() -> Int {
        let names = model.entities.map(\.name)
        let members = names.map { entityNumbers[$0] ?? 0 }
        let keys = names.map { values.number(of: $0) }
        guard form == .cache else {
            return values.builder.add(
                dictionary: zip(keys, members).map { (key: $0, value: $1) },
                as: "NSMutableDictionary")
        }
        let keyList = values.builder.add(list: keys)
        let mapping = values.builder.add(
            "NSKnownKeysMappingStrategy1",
            [
                ("length", .integer(Int64(keys.count))), ("keys", .reference(keyList)),
                ("version", .integer(1)),
            ])
        let memberList = values.builder.add(list: members)
        return values.builder.add(
            "NSKnownKeysDictionary1",
            [
                ("values", .reference(memberList)), ("searchMapping", .reference(mapping)),
                ("emptyToken", values.string("__empty_slot_token_4c24_98dc_ac1e_b773__")),
                ("version", .integer(1)),
            ])
    }

    private mutating func encodeTemplates() -> Int {
        let templates = model.description.fetchRequestTemplates.sorted { $0.key < $1.key }
        if templates.isEmpty { return 0 }
        var entries: [(key: Int, value: Int)] = []
        for (name, template) in templates {
            entries.append((values.number(of: name), encode(template)))
        }
        return values.builder.add(dictionary: entries, as: "NSMutableDictionary")
    }

    private mutating func encodeVersionIdentifiers() -> Int {
        let identifiers = model.description.versionIdentifiers.sorted()
        let numbers = identifiers.map { values.number(of: $0) }
        return values.builder.add(list: numbers, as: "NSSet")
    }

    private mutating func encodeConfigurations() -> [(String, Node)] {
        let configurations = model.description.configurations.sorted { $0.key < $1.key }
        if configurations.isEmpty { return [] }
        var entries: [(key: Int, value: Int)] = []
        for (name, members) in configurations {
            let numbers = members.compactMap { entityNumbers[$0] }
            entries.append(
                (values.number(of: name), values.builder.add(list: numbers, as: "NSSet")))
        }
        let dictionary = values.builder.add(dictionary: entries, as: "NSMutableDictionary")
        return [("NSConfigurations", .reference(dictionary))]
    }

    private mutating func encodeComposites() -> [(String, Node)] {
        let composites = model.description.composites
        if composites.isEmpty { return [] }
        var entries: [(key: Int, value: Int)] = []
        for composite in composites {
            entries.append((values.number(of: composite.name), encodeElements(of: composite)))
        }
        return [(ArchiveKey.composites, .reference(values.builder.add(dictionary: entries)))]
    }
}

extension ModelEncoder {
    /// Encodes an entity and its properties under the object numbers that were reserved for them.
    mutating func encode(_ entity: Entity) {
        let description = entity.description
        var fields: [(String, Node)] = [
            ("NSEntityName", values.string(entity.name)),
            (
                "NSClassNameForEntity",
                values.string(description.managedObjectClassName ?? "NSManagedObject")
            ),
            ("NSManagedObjectModel", .reference(modelNumber)),
            ("NSSuperentity", .reference(number(of: entity.superentity))),
            ("NSSubentities", .reference(encodeSubentities(of: entity))),
            ("NSProperties", .reference(encodeProperties(of: entity))),
            ("NSUserInfo", .reference(values.number(ofUserInfo: description.userInfo))),
            ("NSVersionHashModifier", values.string(description.versionHashModifier)),
            ("NSRenamingIdentifier", values.string(entity.renamingIdentifier)),
        ]
        if description.isAbstract { fields.append(("NSIsAbstract", .boolean(true))) }
        if !description.isSyncable { fields.append((ArchiveKey.isNotSyncable, .boolean(true))) }
        fields += nameLists(description.uniquenessConstraints, "NSUniqueTuples")
        fields += nameLists(
            description.compoundIndexes, "NSCompoundIndexes",
            isThere: !description.fetchIndexes.isEmpty)
        fields += encodeIndexes(of: entity)
        values.builder.fill(number(of: entity), "NSEntityDescription", fields)
    }

    private func number(of entity: Entity?) -> Int {
        entity.flatMap { entityNumbers[$0.name] } ?? 0
    }

    private mutating func encodeSubentities(of entity: Entity) -> Int {
        if form == .cache, entity.subentities.isEmpty { return 0 }
        var entries: [(key: Int, value: Int)] = []
        for subentity in entity.subentities {
            entries.append((values.number(of: subentity.name), number(of: subentity)))
        }
        return values.builder.add(dictionary: entries, as: "NSMutableDictionary")
    }

    private mutating func encodeProperties(of entity: Entity) -> Int {
        var entries: [(key: Int, value: Int)] = []
        for property in archivedProperties(of: entity) {
            let number = number(of: property.name, in: entity)
            encode(property, in: entity, as: number)
            entries.append((values.number(of: property.name), number))
        }
        return values.builder.add(dictionary: entries, as: "NSMutableDictionary")
    }

    /// - Parameter isThere: Whether Core Data writes the key even if there are no lists.
    private mutating func nameLists(
        _ lists: [[String]], _ key: String, isThere: Bool = false
    ) -> [(String, Node)] {
        if lists.isEmpty, !isThere { return [] }
        var numbers: [Int] = []
        for names in lists {
            let members = names.map { values.number(of: $0) }
            numbers.append(values.builder.add(list: members, as: "NSMutableArray"))
        }
        return [(key, .reference(values.builder.add(list: numbers, as: "NSMutableArray")))]
    }

    private mutating func encodeIndexes(of entity: Entity) -> [(String, Node)] {
        if entity.description.fetchIndexes.isEmpty { return [] }
        var numbers: [Int] = []
        for index in entity.description.fetchIndexes {
            let number = values.builder.reserve()
            var elements: [Int] = []
            for element in index.elements { elements.append(encode(element, of: number)) }
            let owner = isOfIndexedAttribute(index, in: entity) ? 0 : self.number(of: entity)
            let fields: [(String, Node)] = [
                ("NSIndexName", values.string(index.name)),
                ("NSIndexElements", .reference(values.builder.add(list: elements))),
                ("NSPartialIndexPredicate", .reference(values.number(of: index.partialPredicate))),
                ("NSEntity", .reference(owner)),
            ]
            values.builder.fill(number, "NSFetchIndexDescription", fields)
            numbers.append(number)
        }
        let list = values.builder.add(list: numbers, as: "NSMutableArray")
        return [("NSFetchIndexDescriptions", .reference(list))]
    }

    /// Whether Core Data's compiler created the index for an attribute's index flag. It gives such an index
    /// the name of the attribute and omits the entity.
    private func isOfIndexedAttribute(_ index: FetchIndexDescription, in entity: Entity) -> Bool {
        form == .file && index.elements.map(\.target) == [.property(index.name)]
            && entity.attribute(named: index.name)?.description.isIndexed == true
    }

    private mutating func encode(
        _ element: FetchIndexDescription.Element, of index: Int
    ) -> Int {
        var fields: [(String, Node)] = [
            ("NSFetchIndexElementType", .integer(Int64(element.type.rawValue))),
            ("NSFetchIndexDescription", .reference(index)),
            ("NSAscending", .boolean(element.isAscending)),
        ]
        switch element.target {
        case .property(let name): fields.append(("NSPropertyName", values.string(name)))
        case .expression(let text):
            let (expression, extra) = values.expression(text: text)
            let described: [(String, Node)] = [
                ("NSPropertyName", values.string(text)),
                ("NSExpression", .reference(expression)),
                ("NSExpressionType", .integer(0)),
            ]
            let number = values.builder.add("NSExpressionDescription", described + extra)
            fields.append(("NSPropertyName", values.string(text)))
            fields.append(("NSIndexedProperty", .reference(number)))
        }
        return values.builder.add("NSFetchIndexElementDescription", fields)
    }
}
