/// Compiles a description into the records of a model, or reports all problems with it.
struct ModelCompiler {
    private let description: ModelDescription
    private let entitiesByName: [String: EntityDescription]
    private var records: [EntityRecord] = []

    init(_ description: ModelDescription) {
        self.description = description
        entitiesByName = Dictionary(
            description.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// - Throws: `.invalid`, with all problems.
    mutating func compile(
        recordedHashes: [String: VersionHash]
    ) throws(ModelError) -> [EntityRecord] {
        let problems = ModelChecker(description).problems()
        guard problems.isEmpty else { throw .invalid(problems) }
        numberEntities()
        numberProperties()
        hashEntities(recordedHashes)
        return records
    }

    /// Numbers the root entities in the order of their names, ignoring case. Each is followed by its
    /// subentities, depth first.
    private mutating func numberEntities() {
        var children: [String: [EntityDescription]] = [:]
        for entity in description.entities {
            children[entity.superentity ?? "", default: []].append(entity)
        }
        for (parent, members) in children { children[parent] = members.sorted(by: Self.precedes) }

        // An explicit stack instead of recursion, because the depth of the tree depends on the input.
        var pending: [(EntityDescription, EntityNumber?)] =
            (children[""] ?? []).reversed().map { ($0, nil) }
        while let (entity, superentity) = pending.popLast() {
            let number = EntityNumber(UInt16(records.count + 1))
            append(entity, number: number, superentity: superentity)
            pending += (children[entity.name] ?? []).reversed().map { ($0, number) }
        }
        closeHierarchies()
    }

    private static func precedes(_ left: EntityDescription, _ right: EntityDescription) -> Bool {
        let (a, b) = (left.name.lowercased(), right.name.lowercased())
        return a == b
            ? left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
            : a.utf8.lexicographicallyPrecedes(b.utf8)
    }

    private mutating func append(
        _ entity: EntityDescription, number: EntityNumber, superentity: EntityNumber?
    ) {
        var sorted = entity
        sorted.properties.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        var root = number
        if let superentity {
            let index = Int(superentity.rawValue) - 1
            records[index].subentities.append(number)
            root = records[index].root
        }
        records.append(
            EntityRecord(
                description: sorted, number: number, superentity: superentity, root: root,
                end: EntityNumber(number.rawValue + 1)))
    }

    private mutating func closeHierarchies() {
        for index in records.indices.reversed() {
            guard let superentity = records[index].superentity else { continue }
            let parent = Int(superentity.rawValue) - 1
            records[parent].end = max(records[parent].end, records[index].end)
        }
    }

    /// Assigns slots to properties. Superentities have lower numbers than their subentities, so inherited
    /// properties have their slots before those of the subentities are added.
    private mutating func numberProperties() {
        for index in records.indices {
            var record = records[index]
            if let superentity = record.superentity {
                let parent = records[Int(superentity.rawValue) - 1]
                record.declarations = parent.declarations
                record.rowSlotCount = parent.rowSlotCount
                record.objectSlotCount = parent.objectSlotCount
                record.hasDerivedAttributes = parent.hasDerivedAttributes
                record.hasUnprovenHash = parent.hasUnprovenHash
            }
            for (propertyIndex, property) in record.description.properties.enumerated() {
                record.declarations[property.name] = (record.number, propertyIndex)
                record.properties.append(SharedProperty(property))
                record.storage.append(record.nextStorage(for: property))
                if property.isDerived { record.hasDerivedAttributes = true }
                if property.isDerived || property.isComposite { record.hasUnprovenHash = true }
            }
            records[index] = record
        }
    }

    private mutating func hashEntities(_ recordedHashes: [String: VersionHash]) {
        let hashes = VersionHasher(entities: records, composites: description.composites)
            .hashes()
        for (index, hash) in hashes.enumerated() {
            let record = records[index]
            let isUnproven = record.hasUnprovenHash
            let recorded = isUnproven ? recordedHashes[record.description.name] : nil
            records[index].versionHash = recorded ?? hash
            records[index].isVersionHashExact = !isUnproven || recorded != nil
        }
    }
}

extension EntityRecord {
    /// Assigns the next free slot of the kind that the property requires.
    fileprivate mutating func nextStorage(for property: PropertyDescription) -> PropertyStorage {
        if case .fetchedProperty = property { return .none }
        if property.hasRowSlot {
            rowSlotCount += 1
            return .row(slot: rowSlotCount - 1)
        }
        objectSlotCount += 1
        return .object(slot: objectSlotCount - 1)
    }
}

extension PropertyDescription {
    fileprivate var isDerived: Bool {
        if case .attribute(let attribute) = self { attribute.derivation != nil } else { false }
    }
    fileprivate var isComposite: Bool {
        if case .attribute(let attribute) = self { attribute.type == .composite } else { false }
    }
}
