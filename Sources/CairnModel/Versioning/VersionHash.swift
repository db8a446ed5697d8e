import Foundation

/// The 32-byte hash that identifies a version of an entity in stores and models.
public struct VersionHash: Sendable, Hashable, CustomStringConvertible {
    /// The bytes in the form that stores record. A valid hash has 32 bytes.
    public let bytes: [UInt8]

    /// Creates a hash from bytes that a store or a compiled model recorded. The length is not checked.
    public init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// The bytes in the form that stores record.
    public var data: Data { Data(bytes) }

    /// The bytes in lower-case hexadecimal.
    public var description: String {
        bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
    }
}

/// Computes the version hashes that Core Data uses to identify entities.
///
/// The formulas were derived from recorded hashes (docs/formats/version-hashes.md). The hashes do not
/// include transient and fetched properties, delete rules, default values, validation rules, indexes and
/// user info.
struct VersionHasher {
    let entities: [EntityRecord]
    let composites: [CompositeDescription]

    /// A property that is part of the hashes of its entity and of all subentities.
    private struct HashedProperty {
        let name: String
        let hash: [UInt8]
    }

    /// Returns the hash of each entity, in the order of their numbers.
    func hashes() -> [VersionHash] {
        let own = entities.map(ownProperties)
        var hashes: [VersionHash] = []
        // A superentity has a lower number than its subentities, so its hash is computed first.
        for entity in entities {
            let superhash = entity.superentity.map { hashes[Int($0.rawValue) - 1] }
            hashes.append(hash(entity, properties: own, superhash: superhash))
        }
        return hashes
    }

    private func hash(
        _ entity: EntityRecord, properties: [[HashedProperty]], superhash: VersionHash?
    ) -> VersionHash {
        var bytes = Array(entity.description.name.utf8)
        bytes.append(entity.description.isAbstract ? 1 : 0)
        bytes += superhash?.bytes ?? []
        for property in allProperties(of: entity, properties) { bytes += property.hash }
        bytes += Array((entity.description.versionHashModifier ?? "").utf8)
        bytes += entity.description.uniquenessConstraints
            .map { $0.joined(separator: ".") }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .flatMap(\.utf8)
        return VersionHash(SHA2.sha256(bytes))
    }

    /// Returns the hashes of the entity's own properties. Each property is hashed only once, even if several
    /// entities inherit it.
    private func ownProperties(of entity: EntityRecord) -> [HashedProperty] {
        entity.description.properties.filter(\.isPersistent)
            .map { HashedProperty(name: $0.name, hash: hash($0)) }
    }

    /// Returns the entity's own and inherited properties that are hashed, sorted by the UTF-8 bytes of their
    /// names.
    private func allProperties(
        of entity: EntityRecord, _ own: [[HashedProperty]]
    ) -> [HashedProperty] {
        var properties = own[Int(entity.number.rawValue) - 1]
        var ancestor = entity.superentity
        while let number = ancestor {
            let index = Int(number.rawValue) - 1
            properties += own[index]
            ancestor = entities[index].superentity
        }
        return properties.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
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
        bytes += elements(of: attribute)
        return SHA2.sha256(bytes)
    }

    /// Returns the hashes of a composite's elements, sorted by name. Core Data's formula is not known. A store
    /// must be migrated if they change, so they are part of the hash.
    ///
    /// The recursion ends, because no composite contains itself.
    private func elements(of attribute: AttributeDescription) -> [UInt8] {
        guard attribute.type == .composite,
            let composite = composites.first(where: { $0.name == attribute.compositeName })
        else { return [] }
        return composite.elements
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            .flatMap(hash)
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
