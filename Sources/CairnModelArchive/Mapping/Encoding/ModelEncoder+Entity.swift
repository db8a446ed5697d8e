import CairnModel

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
