import Cairn
import Foundation

/// Predicts the result of a migration from the rules, in the simplest way: object by object, with everything
/// in memory.
package struct MigrationOracle {
    let old: ManagedObjectModel
    let new: ManagedObjectModel
    private let matching: ModelCorrespondence
    /// The new names of the old entities that still exist.
    private let newNames: [String: String]

    package init(from old: ManagedObjectModel, to new: ManagedObjectModel) {
        self.old = old
        self.new = new
        let matching = ModelCorrespondence(from: old, to: new)
        self.matching = matching
        newNames = Dictionary(
            uniqueKeysWithValues: old.entities.compactMap { entity in
                matching.newEntity(of: entity).map { (entity.name, $0.name) }
            })
    }

    /// Returns the objects after the migration. Omits values that the store computes, except for counts of
    /// members; see ``comparable(_:)``.
    package func migrated(_ image: StoreImage) -> StoreImage {
        var result = StoreImage()
        for (id, object) in image.objects {
            guard let before = old.entity(named: id.entity),
                let after = matching.newEntity(of: before)
            else { continue }
            var migrated = StoreImage.Object(version: object.version)
            for attribute in after.attributes where !attribute.isTransient {
                migrated.values[attribute.name] = value(of: attribute, in: after, object)
            }
            result.objects[StoreImage.ID(entity: after.name, key: id.key)] = migrated
        }
        for entity in new.entities {
            for case .relationship(let relationship) in entity.properties
            where !relationship.isTransient {
                relate(relationship, of: entity, image, &result)
            }
        }
        count(&result)
        return comparable(result)
    }

    /// Returns an image without the values that the store computes itself, except for counts of members.
    package func comparable(_ image: StoreImage) -> StoreImage {
        var image = image
        for id in image.objects.keys {
            for attribute in new.entity(named: id.entity)?.attributes ?? []
            where attribute.isDerived && attribute.countedName == nil {
                image.objects[id]?.values[attribute.name] = nil
            }
        }
        return image
    }

    private func count(_ image: inout StoreImage) {
        for (id, object) in image.objects {
            for attribute in new.entity(named: id.entity)?.attributes ?? [] {
                guard let counted = attribute.countedName else { continue }
                let members = object.toManys[counted]?.count ?? 0
                image.objects[id]?.values[attribute.name] = .integer(Int64(members))
            }
        }
    }

    /// Returns the required properties that lost their value in the migration.
    package func brokenRequirements(_ before: StoreImage, _ after: StoreImage) -> [String] {
        let olds = Dictionary(
            before.objects.keys.compactMap { id in newID(id).map { ($0, id) } },
            uniquingKeysWith: { first, _ in first })
        return after.objects.sorted { $0.key < $1.key }.flatMap { id, object -> [String] in
            guard let entity = new.entity(named: id.entity) else { return [] }
            let old = olds[id].flatMap { before.objects[$0] }
            return entity.properties.filter { property in
                guard property.isRequired, object.lacks(property.name) else { return false }
                let name = matching.oldProperty(named: property.name, of: entity)
                return !(name.map { $0.isRequired && old?.lacks($0.name) ?? false } ?? false)
            }.map { "\(id).\($0.name)" }
        }
    }

    // MARK: Attributes

    private func value(
        of attribute: Attribute, in entity: Entity, _ object: StoreImage.Object
    ) -> Value? {
        let defaultValue =
            attribute.description.defaultValue == .null ? nil : attribute.description.defaultValue
        guard
            case .attribute(let before)? = matching.oldProperty(named: attribute.name, of: entity),
            !before.isTransient
        else { return defaultValue }
        guard let value = object.values[before.name] else {
            return before.isOptional && !attribute.isOptional ? defaultValue : nil
        }
        return before.type == attribute.type ? value : Self.converted(value, to: attribute.type)
    }

    /// Implemented independently, because the migration's own conversion is under test.
    static func converted(_ value: Value, to type: AttributeType) -> Value? {
        switch (value, type) {
        case (.boolean, .boolean), (.float, .float), (.double, .double), (.decimal, .decimal): value
        case (.boolean(let value), .decimal): .decimal(value ? 1 : 0)
        case (.boolean(let value), .double): .double(value ? 1 : 0)
        case (.boolean(let value), .float): .float(value ? 1 : 0)
        case (.boolean(let value), _): .integer(value ? 1 : 0)
        case (.integer(let value), .decimal): .decimal(Decimal(value))
        case (.integer(let value), .double): .double(Double(value))
        case (.integer(let value), .float): .float(Float(value))
        case (.integer(let value), .string): .string("\(value)")
        case (.float(let value), .double): .double(Double(value))
        case (.integer(let value), _): .integer(value)
        case (.float(let value), .decimal): .decimal(Decimal(Double(value)))
        case (.float(let value), _): .integer(Int64(value))
        case (.double(let value), .float): .float(Float(value))
        case (.double(let value), .decimal): .decimal(Decimal(value))
        case (.double(let value), _): .integer(Int64(value))
        case (.decimal(let value), .double): .double(Double("\(value)") ?? .nan)
        case (.decimal(let value), .float): .float(Float("\(value)") ?? .nan)
        case (.decimal(let value), _): .integer(Int64("\(value)") ?? 0)
        case (.uuid(let value), .string): .string(value.uuidString)
        case (.uri(let value), .string): .string(value.absoluteString)
        default: value
        }
    }

    // MARK: Relationships

    private func relate(
        _ relationship: Relationship, of entity: Entity, _ image: StoreImage,
        _ result: inout StoreImage
    ) {
        let read = matching.oldProperty(named: relationship.name, of: entity)
        for (id, object) in image.objects where newNames[id.entity] == entity.name {
            var members: [StoreImage.ID] = []
            var isInOrder = false
            if case .relationship(let before)? = read, !before.isTransient {
                members = object.toManys[before.name] ?? []
                if let only = object.toOnes[before.name] { members = [only] }
                isInOrder = before.isToMany && before.isOrdered
            } else if let inverse = relationship.inverse {
                members = owners(of: id, through: inverse, image)
            }
            let kept = members.compactMap(newID).filter { member in
                guard result.objects[member] != nil,
                    let destination = new.entity(named: member.entity)
                else { return false }
                return destination.isKind(of: relationship.destination)
            }
            guard let newID = newID(id), !kept.isEmpty else { continue }
            if relationship.isToMany {
                result.objects[newID]?.toManys[relationship.name] =
                    relationship.isOrdered && isInOrder ? kept : kept.sorted()
            } else {
                result.objects[newID]?.toOnes[relationship.name] = kept[0]
            }
        }
    }

    /// Returns the objects that referred to an object through the old relationship that the inverse of a new
    /// relationship continues.
    private func owners(
        of id: StoreImage.ID, through inverse: Relationship, _ image: StoreImage
    ) -> [StoreImage.ID] {
        image.objects.compactMap { owner, object in
            guard let before = old.entity(named: owner.entity),
                let after = matching.newEntity(of: before),
                after.isKind(of: inverse.entity),
                case .relationship(let read)? = matching.oldProperty(
                    named: inverse.name, of: after),
                !read.isTransient
            else { return nil }
            let members = object.toManys[read.name] ?? [object.toOnes[read.name]].compactMap(\.self)
            return members.contains(id) ? owner : nil
        }
    }

    private func newID(_ id: StoreImage.ID) -> StoreImage.ID? {
        newNames[id.entity].map { StoreImage.ID(entity: $0, key: id.key) }
    }
}

extension Attribute {
    /// The to-many relationship whose members the attribute counts, or `nil` if the attribute is not such a
    /// count.
    fileprivate var countedName: String? {
        guard let derivation = description.derivation, derivation.filter == nil else { return nil }
        let parts = derivation.expression.split(separator: ".")
        return parts.count == 2 && parts[1] == "@count" ? String(parts[0]) : nil
    }
}

extension Property {
    /// Whether each object must have a value. `false` for values that the store computes.
    fileprivate var isRequired: Bool {
        switch self {
        case .attribute(let it): !it.isOptional && !it.isTransient && !it.isDerived
        case .relationship(let it):
            !it.isOptional && !it.isTransient
                && (!it.isToMany || it.description.minimumCount > 0)
        case .fetchedProperty: false
        }
    }
}

extension StoreImage.Object {
    /// Returns whether neither an attribute nor a relationship of this name has a value.
    fileprivate func lacks(_ name: String) -> Bool {
        values[name] == nil && toOnes[name] == nil && toManys[name] == nil
    }
}
