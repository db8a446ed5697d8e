import CairnModel
import CairnObjects
import CairnStack

/// An insertion of objects from a snapshot. The whole snapshot is compared with the model first.
struct SnapshotInsertion {
    /// An object that will be inserted.
    private struct Planned {
        let kind: ObjectKind
        var values: [(name: String, value: Value)] = []
        var relationships: [(binding: RelationshipBinding, members: [Member])] = []
    }

    /// A destination of a relationship.
    private enum Member {
        /// The object at an index of the plan.
        case index(Int)
        /// The object with a reference number of the snapshot. Its content may appear later in the snapshot.
        case reference(Int64)
    }

    private let context: ManagedObjectContext
    private var plan: [Planned] = []
    private var indices: [Int64: Int] = [:]

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Inserts the objects of the snapshot and returns the root object.
    mutating func insert(
        _ fields: [String: PlainValue], _ entity: Entity
    ) throws(GraphError) -> ManagedObject {
        let first = try planObject(fields, entity)
        try resolveReferences()
        var objects: [ManagedObject] = []
        for planned in plan { objects.append(try context.insert(planned.kind)) }
        for (planned, object) in zip(plan, objects) {
            for (name, value) in planned.values { try object.setValue(value, forKey: name) }
            for (binding, members) in planned.relationships {
                let members = members.compactMap { index(of: $0) }.map { objects[$0] }
                try object.setValue(
                    binding.isToMany ? members : members.first, forKey: binding.name)
            }
        }
        return objects[first]
    }

    // MARK: Objects

    /// Adds an object to the plan and returns its index.
    private mutating func planObject(
        _ fields: [String: PlainValue], _ expected: Entity
    ) throws(GraphError) -> Int {
        let kind = try kind(of: fields, expected)
        let index = plan.count
        plan.append(Planned(kind: kind))
        for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
            switch name {
            case SnapshotKey.entity: break
            case SnapshotKey.reference: try number(index, field)
            default:
                switch try kind.binding(name) {
                case .attribute(let binding): try planValue(field, of: binding, index)
                case .relationship(let binding): try planMembers(field, of: binding, index)
                case .fetchedProperty:
                    throw mismatch(
                        name, of: kind.entity, "no value, because it is a fetched property", field)
                }
            }
        }
        return index
    }

    private func kind(
        of fields: [String: PlainValue], _ expected: Entity
    ) throws(GraphError) -> ObjectKind {
        var name = expected.name
        if let field = fields[SnapshotKey.entity] {
            guard case .text(let text) = field else {
                throw mismatch(SnapshotKey.entity, of: expected, "the name of an entity", field)
            }
            name = text
        }
        let kind = try context.kinds.kind(named: name)
        guard kind.entity.isKind(of: expected) else {
            throw wrongEntity(kind.entity, of: expected, SnapshotKey.entity)
        }
        guard !kind.isAbstract else { throw .abstractEntity(name) }
        return kind
    }

    private mutating func number(_ index: Int, _ field: PlainValue) throws(GraphError) {
        guard case .integer(let number) = field, indices[number] == nil else {
            throw mismatch(
                SnapshotKey.reference, of: plan[index].kind.entity,
                "a number that no other object of the snapshot has", field)
        }
        indices[number] = index
    }

    // MARK: Properties

    private mutating func planValue(
        _ field: PlainValue, of binding: AttributeBinding, _ index: Int
    ) throws(GraphError) {
        let attribute = binding.attribute
        guard
            let value = field.value(
                as: binding.type, attribute.composite, in: attribute.entity.model)
        else {
            let type =
                switch field {
                case .integer, .number: binding.type.rangeDescription
                default: "\(binding.type)"
                }
            throw mismatch(
                binding.name, of: plan[index].kind.entity, "a value of type \(type)", field)
        }
        if !attribute.isDerived { plan[index].values.append((binding.name, value)) }
    }

    private mutating func planMembers(
        _ field: PlainValue, of binding: RelationshipBinding, _ index: Int
    ) throws(GraphError) {
        let entity = plan[index].kind.entity
        var list: [PlainValue]
        switch field {
        case .list(let objects) where binding.isToMany: list = objects
        case .null where !binding.isToMany: list = []
        case .fields where !binding.isToMany: list = [field]
        default:
            throw mismatch(
                binding.name, of: entity,
                binding.isToMany ? "an array of objects" : "an object or nil", field)
        }
        var members: [Member] = []
        for member in list {
            guard case .fields(let fields) = member else {
                throw mismatch(
                    binding.name, of: entity, "an array that contains only objects", member)
            }
            if case .integer(let number)? = fields[SnapshotKey.reference], fields.count == 1 {
                members.append(.reference(number))
            } else {
                members.append(
                    .index(try planObject(fields, binding.relationship.destination)))
            }
        }
        plan[index].relationships.append((binding, members))
    }

    // MARK: References

    private func index(of member: Member) -> Int? {
        switch member {
        case .index(let index): index
        case .reference(let number): indices[number]
        }
    }

    /// Checks that each reference number belongs to an object that the relationship may lead to.
    private func resolveReferences() throws(GraphError) {
        for planned in plan {
            for (binding, members) in planned.relationships {
                for case .reference(let number) in members {
                    guard let index = indices[number] else {
                        throw .wrongType(
                            entity: planned.kind.entity.name, property: binding.name,
                            expected: "the number of an object in the snapshot",
                            found: "\(number), which is the number of no object")
                    }
                    let destination = binding.relationship.destination
                    guard plan[index].kind.entity.isKind(of: destination) else {
                        throw wrongEntity(plan[index].kind.entity, of: destination, binding.name)
                    }
                }
            }
        }
    }

    // MARK: Errors

    private func wrongEntity(_ found: Entity, of expected: Entity, _ name: String) -> GraphError {
        .wrongType(
            entity: expected.name, property: name,
            expected: "an object of \(expected.name) or of one of its subentities",
            found: "an object of \(found.name)")
    }

    private func mismatch(
        _ name: String, of entity: Entity, _ expected: String, _ found: PlainValue
    ) -> GraphError {
        .wrongType(
            entity: entity.name, property: name, expected: expected, found: found.typeDescription)
    }
}
