import CairnModel
import CairnStore
import Foundation

@testable import CairnSQLite

/// What the objects of a store are after a migration, by the rules of inference.
struct ExpectedObjects {
    let changes: ModelCorrespondence
    private let byReference: [StoredObject.Reference: StoredObject]

    init(_ changes: ModelCorrespondence, _ old: [StoredObject]) {
        self.changes = changes
        byReference = Dictionary(
            old.map { ($0.reference, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The objects that the new version has, in any order.
    func objects() -> [StoredObject] {
        let moved = byReference.values.compactMap { old -> StoredObject? in
            guard let reference = newReference(old.reference),
                let entity = changes.new.entity(named: reference.entity)
            else { return nil }
            var object = StoredObject(reference: reference, version: old.version)
            for property in entity.properties { set(property, of: entity, in: &object, from: old) }
            return object
        }
        return moved.map { withMembersOfNewInverses($0, among: moved) }
    }

    private func newReference(_ old: StoredObject.Reference) -> StoredObject.Reference? {
        guard let entity = changes.old.entity(named: old.entity),
            let new = changes.newEntity(of: entity)
        else { return nil }
        return StoredObject.Reference(entity: new.name, key: old.key)
    }

    private func set(
        _ property: Property, of entity: Entity, in object: inout StoredObject,
        from old: StoredObject
    ) {
        let before = changes.oldProperty(named: property.name, of: entity)
        switch property {
        case .attribute(let attribute) where !attribute.isTransient:
            object.values[attribute.name] = value(of: attribute, before, old)
        case .relationship(let relationship) where !relationship.isTransient:
            guard case .relationship(let known)? = before, !known.isTransient else {
                if relationship.isToMany { object.toManys[relationship.name] = [] }
                return
            }
            guard relationship.isToMany else {
                object.toOnes[relationship.name] = old.toOnes[known.name].flatMap(newReference)
                return
            }
            let members = (old.toManys[known.name] ?? []).compactMap(newReference)
            object.toManys[relationship.name] =
                known.isOrdered && relationship.isOrdered
                ? members : members.sorted { $0.key < $1.key }
        default: break
        }
    }

    private func value(
        of attribute: Attribute, _ before: Property?, _ old: StoredObject
    ) -> Value? {
        guard case .attribute(let known)? = before, !known.isTransient else {
            return attribute.description.defaultValue.orNil
        }
        let value = old.values[known.name].flatMap { converted($0, to: attribute.type) }
        if value == nil, known.isOptional, !attribute.isOptional {
            return attribute.description.defaultValue.orNil
        }
        return value
    }

    private func converted(_ value: Value, to type: AttributeType) -> Value? {
        switch (value, type) {
        case (.boolean(let value), .decimal): .decimal(value ? 1 : 0)
        case (.boolean(let value), .double): .double(value ? 1 : 0)
        case (.boolean(let value), .float): .float(value ? 1 : 0)
        case (.boolean(let value), .integer16), (.boolean(let value), .integer32),
            (.boolean(let value), .integer64):
            .integer(value ? 1 : 0)
        case (.integer(let value), .decimal): .decimal(Decimal(value))
        case (.integer(let value), .double): .double(Double(value))
        case (.integer(let value), .float): .float(Float(value))
        case (.integer(let value), .string): .string("\(value)")
        case (.float(let value), .double): .double(Double(value))
        case (.uuid(let value), .string): .string(value.uuidString)
        case (.uri(let value), .string): .string(value.absoluteString)
        default: value
        }
    }

    // MARK: What follows from other objects

    private func withMembersOfNewInverses(
        _ object: StoredObject, among all: [StoredObject]
    ) -> StoredObject {
        var object = object
        guard let entity = changes.new.entity(named: object.reference.entity) else { return object }
        for relationship in entity.relationships where relationship.isToMany {
            guard changes.oldProperty(named: relationship.name, of: entity) == nil,
                let inverse = relationship.inverse, !inverse.isToMany
            else { continue }
            let owners = Set(inverse.entity.hierarchy.map(\.name))
            let members = all.filter {
                owners.contains($0.reference.entity)
                    && $0.toOnes[inverse.name] == object.reference
            }
            object.toManys[relationship.name] = members.map(\.reference)
                .sorted { $0.key < $1.key }
        }
        for attribute in entity.attributes {
            guard let counted = attribute.countedRelationship else { continue }
            let count = object.toManys[counted.name]?.count ?? 0
            object.values[attribute.name] = .integer(Int64(count))
        }
        return object
    }
}

extension Value {
    fileprivate var orNil: Value? { self == .null ? nil : self }
}
