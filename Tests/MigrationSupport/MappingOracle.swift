import Cairn
import Foundation

/// Executes a mapping model in the simplest way: object by object, with everything in memory. Knows constants, paths,
/// counts, relationships to the objects of one mapping or of all mappings, and two policies.
package struct MappingOracle {
    /// The name of a policy that makes one object for each old object.
    package static let everyPolicy = "Every"
    /// The name of a policy that makes objects only for old objects with odd keys.
    package static let oddPolicy = "Odd"

    /// An old object, and the index of the mapping that reads it.
    private struct Source: Hashable {
        let mapping: Int
        let id: StoreImage.ID
    }

    private let mapping: MappingModel
    private let old: ManagedObjectModel
    private let new: ManagedObjectModel
    /// The number that each mapping adds to keys.
    private var offsets: [Int64] = []
    /// The first key of the objects of policies, by root entity of the new model.
    private var policyKeys: [String: Int64] = [:]

    /// - Parameter nextKey: The next key of every hierarchy of the old store.
    package init(
        _ mapping: MappingModel, from old: ManagedObjectModel, to new: ManagedObjectModel,
        nextKey: Int64
    ) {
        self.mapping = mapping
        self.old = old
        self.new = new
        // The mappings of one source hierarchy into one hierarchy share keys, unless they read one entity twice.
        var groups: [String: [(source: String, entities: [String])]] = [:]
        for mapping in mapping.entityMappings {
            guard let from = mapping.sourceEntityName, let to = mapping.destinationEntityName,
                let source = old.entity(named: from)?.rootEntity.name,
                let root = new.entity(named: to)?.rootEntity.name
            else {
                offsets.append(0)
                continue
            }
            var group = groups[root] ?? []
            let known = group.firstIndex { $0.source == source && !$0.entities.contains(from) }
            let index = known ?? group.count
            if known == nil { group.append((source, [])) }
            group[index].entities.append(from)
            groups[root] = group
            offsets.append(Int64(index) * (nextKey - 1))
        }
        policyKeys = groups.mapValues { Int64($0.count) * (nextKey - 1) + 1 }
    }

    private typealias ID = StoreImage.ID

    /// Returns the objects that the mapping model makes.
    package func migrated(_ image: StoreImage) -> StoreImage {
        var result = StoreImage()
        var made: [Source: ID] = [:]
        var policyKeys = policyKeys
        for (index, mapping) in mapping.entityMappings.enumerated() {
            guard let entity = mapping.destinationEntityName.flatMap(new.entity) else { continue }
            let policy = mapping.entityMigrationPolicyClassName
            for (id, object) in image.objects.sorted(by: { $0.key < $1.key })
            where id.entity == mapping.sourceEntityName {
                if policy == Self.oddPolicy, id.key % 2 == 0 { continue }
                var key = id.key + offsets[index]
                if policy != nil {
                    key = policyKeys[entity.rootEntity.name] ?? 1
                    policyKeys[entity.rootEntity.name] = key + 1
                }
                var copy = StoreImage.Object(version: object.version)
                for attribute in entity.attributes where !attribute.isTransient {
                    copy.values[attribute.name] = value(of: attribute, mapping, id, image)
                }
                let newID = ID(entity: entity.name, key: key)
                result.objects[newID] = copy
                made[Source(mapping: index, id: id)] = newID
            }
        }
        for entity in new.entities {
            for case .relationship(let relationship) in entity.ownProperties {
                relate(relationship, made, image, &result)
            }
        }
        return result
    }

    private func value(
        of attribute: Attribute, _ mapping: EntityMapping, _ id: StoreImage.ID, _ image: StoreImage
    ) -> Value? {
        let rule = mapping.attributeMappings.first { $0.name == attribute.name }
        let value: Value?
        switch rule?.valueExpression {
        case .constant(let constant)?: value = constant
        case .keyPathOf(_, let names)? where names.last == "@count":
            value = .integer(Int64(image.objects[id]?.toManys[names[0]]?.count ?? 0))
        case .keyPathOf(_, let names)?:
            var end: StoreImage.ID? = id
            for name in names.dropLast() {
                end = end.flatMap { image.objects[$0]?.toOnes[name] }
            }
            let read = end.flatMap { image.objects[$0]?.values[names.last ?? ""] }
            value = read.flatMap { MigrationOracle.converted($0, to: attribute.type) }
        default: value = attribute.description.defaultValue
        }
        return value == .null ? nil : value
    }

    // MARK: Relationships

    private func relate(
        _ relationship: Relationship, _ made: [Source: ID], _ image: StoreImage,
        _ result: inout StoreImage
    ) {
        for (source, id) in made
        where new.entity(named: id.entity)?.isKind(of: relationship.entity) ?? false {
            if let expression = expression(of: relationship, source.mapping) {
                set(
                    destinations(expression, source.id, image, made), relationship, id,
                    isInOrder: isOrdered(expression, source.id), &result)
                continue
            }
            guard let inverse = relationship.inverse else { continue }
            let owners = made.filter { source, owner in
                guard new.entity(named: owner.entity)?.isKind(of: inverse.entity) ?? false,
                    let expression = expression(of: inverse, source.mapping)
                else { return false }
                return destinations(expression, source.id, image, made).contains(id)
            }
            set(owners.values.sorted(), relationship, id, isInOrder: false, &result)
        }
    }

    private func expression(of relationship: Relationship, _ index: Int) -> FetchExpression? {
        mapping.entityMappings[index].relationshipMappings
            .first { $0.name == relationship.name }?.valueExpression
    }

    private func set(
        _ found: [StoreImage.ID], _ relationship: Relationship, _ id: StoreImage.ID,
        isInOrder: Bool,
        _ result: inout StoreImage
    ) {
        let members = found.filter {
            new.entity(named: $0.entity)?.isKind(of: relationship.destination) ?? false
        }
        guard let first = members.first else { return }
        if relationship.isToMany {
            result.objects[id]?.toManys[relationship.name] =
                relationship.isOrdered && isInOrder ? members : members.sorted()
        } else {
            result.objects[id]?.toOnes[relationship.name] = first
        }
    }

    private func isOrdered(_ expression: FetchExpression, _ source: StoreImage.ID) -> Bool {
        guard case .function(_, let arguments) = expression,
            case .keyPathOf(_, let names)? = arguments.last, names.count == 1
        else { return false }
        return old.entity(named: source.entity)?.relationship(named: names[0])?.isOrdered ?? false
    }

    private func destinations(
        _ expression: FetchExpression, _ source: StoreImage.ID, _ image: StoreImage,
        _ made: [Source: ID]
    ) -> [StoreImage.ID] {
        guard case .function(let selector, let arguments) = expression, arguments.count == 3,
            case .constant(.string(let name)) = arguments[1]
        else { return [] }
        var ends = [source]
        if case .keyPathOf(_, let names) = arguments[2] {
            for step in names {
                ends = ends.flatMap { end -> [StoreImage.ID] in
                    guard let object = image.objects[end] else { return [] }
                    return object.toOnes[step].map { [$0] } ?? object.toManys[step] ?? []
                }
            }
        }
        var found: [StoreImage.ID] = []
        for end in ends {
            for (index, mapping) in mapping.entityMappings.enumerated() {
                guard selector.contains("SourceRelationship") || mapping.name == name,
                    let id = made[Source(mapping: index, id: end)], !found.contains(id)
                else { continue }
                found.append(id)
            }
        }
        return found
    }
}
