/// Computes the version hashes by which Core Data recognises entities.
///
/// The formulas were recovered from recorded hashes (docs/formats/version-hashes.md). Not hashed:
/// transient and fetched properties, delete rules, defaults, validation, indexes, user info.
struct VersionHasher {
    let entities: [EntityRecord]

    /// Returns the hash of each entity, in the order of their numbers.
    func hashes() -> [VersionHash] {
        var hashes: [VersionHash?] = Array(repeating: nil, count: entities.count)
        // A superentity's number is lower than its subentities', so its hash is always there.
        for index in entities.indices {
            let superhash = entities[index].superentity.flatMap { hashes[Int($0.rawValue) - 1] }
            hashes[index] = hash(entities[index], superhash: superhash)
        }
        return hashes.compactMap { $0 }
    }

    private func hash(_ entity: EntityRecord, superhash: VersionHash?) -> VersionHash {
        var bytes = Array(entity.description.name.utf8)
        bytes.append(entity.description.isAbstract ? 1 : 0)
        bytes += superhash?.bytes ?? []
        for property in hashedProperties(of: entity) { bytes += hash(property) }
        bytes += Array((entity.description.versionHashModifier ?? "").utf8)
        bytes += entity.description.uniquenessConstraints
            .map { $0.joined(separator: ".") }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .flatMap(\.utf8)
        return VersionHash(SHA2.sha256(bytes))
    }

    /// Own and inherited properties that enter the hash, by name in code units.
    private func hashedProperties(of entity: EntityRecord) -> [PropertyDescription] {
        var properties = entity.description.properties
        var ancestor = entity.superentity
        while let number = ancestor {
            let record = entities[Int(number.rawValue) - 1]
            properties += record.description.properties
            ancestor = record.superentity
        }
        return properties.filter(\.isPersistent)
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    private func hash(_ property: PropertyDescription) -> [UInt8] {
        switch property {
        case .attribute(let attribute): hash(attribute)
        case .relationship(let relationship): hash(relationship)
        case .fetchedProperty: []
        }
    }

    private func hash(_ attribute: AttributeDescription) -> [UInt8] {
        var bytes = base(attribute.name, attribute.isOptional, attribute.versionHashModifier)
        bytes += littleEndian(attribute.type.rawValue)
        if attribute.allowsExternalBinaryDataStorage { bytes.append(1) }
        if attribute.preservesValueInHistoryOnDeletion { bytes.append(1) }
        return SHA2.sha256(bytes)
    }

    private func hash(_ relationship: RelationshipDescription) -> [UInt8] {
        var bytes = base(
            relationship.name, relationship.isOptional, relationship.versionHashModifier)
        bytes += Array(relationship.destination.utf8)
        if let inverse = relationship.inverse, !isOwnInverse(relationship) {
            bytes += Array(inverse.utf8)
        }
        bytes += littleEndian(Int32(truncatingIfNeeded: relationship.maximumCount))
        bytes += littleEndian(Int32(truncatingIfNeeded: relationship.minimumCount))
        if relationship.isOrdered { bytes += [1, 0] }
        return SHA2.sha256(bytes)
    }

    private func isOwnInverse(_ relationship: RelationshipDescription) -> Bool {
        relationship.inverse == relationship.name
            && entities.contains { entity in
                entity.description.name == relationship.destination
                    && entity.description.properties.contains(.relationship(relationship))
            }
    }

    private func base(_ name: String, _ isOptional: Bool, _ modifier: String?) -> [UInt8] {
        SHA2.sha256(Array(name.utf8) + [isOptional ? 1 : 0, 0] + Array((modifier ?? "").utf8))
    }

    private func littleEndian(_ value: Int32) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
