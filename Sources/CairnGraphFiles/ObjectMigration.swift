import CairnModel
import CairnObjects
import CairnStack
import CairnStore
import CairnStoreCopying
import Foundation

/// The objects of a stage of a migration: both contexts, and which new objects continue which old ones.
final class ObjectMigration: @unchecked Sendable {
    // Unchecked: only the thread that runs the stage uses it, in turns of both contexts.

    let old: ManagedObjectContext
    let new: ManagedObjectContext
    let rules: ResolvedMapping
    /// In the order of the rules.
    let mapped: [MappedObjects]
    private let mappedByName: [String: MappedObjects]
    var current: EntityMapping
    var userInfo: [AnyHashable: Any] = [:]
    /// The objects whose relationships are being set.
    var pair: (source: ManagedObject, destination: ManagedObject)?
    /// The manager that policies get.
    weak var manager: MigrationManager?
    /// The error with which a policy ended the migration.
    var failure: (any Error)?

    init(
        old: ManagedObjectContext, new: ManagedObjectContext,
        _ mapping: (rules: ResolvedMapping, keys: KeyOffsets),
        stores: (old: StoreNumber, new: StoreNumber)
    ) {
        self.old = old
        self.new = new
        rules = mapping.rules
        mapped = zip(mapping.rules.rules, mapping.keys.offsets).enumerated().map {
            MappedObjects($0, $1.0, keyOffset: $1.1, stores: stores)
        }
        mappedByName = Dictionary(
            mapped.map { ($0.rule.name, $0) }, uniquingKeysWith: { first, _ in first })
        current = EntityMapping("", from: nil, to: nil)
    }

    // MARK: Associations

    func associate(_ source: ManagedObject, _ destination: ManagedObject, _ mapping: String) {
        mappedByName[mapping]?.associate(source.objectID, destination)
    }

    /// Saves the new objects, and notes their permanent IDs.
    func save() throws(GraphError) {
        try new.save()
        for objects in mapped { objects.settle() }
    }

    /// Returns the objects of one mapping, or of all mappings if the name is `nil`.
    private func mapped(_ name: String?) -> [MappedObjects] {
        guard let name else { return mapped }
        return mappedByName[name].map { [$0] } ?? []
    }

    /// Returns the new objects that continue old ones.
    ///
    /// - Parameter sources: `nil` means all objects that each mapping reads.
    func destinations(_ name: String?, _ sources: [ObjectID]?) -> [ManagedObject] {
        var found: [ManagedObject] = []
        do {
            for objects in mapped(name) {
                for source in try sources ?? sourceIDs(of: objects) {
                    found += objects.unsavedDestinations(of: source)
                    for id in objects.destinationIDs(of: source) {
                        found.append(try new.object(with: id))
                    }
                }
            }
        } catch {
            failure = error
            return []
        }
        if found.count < 2 { return found }
        var known: Set<ObjectID> = []
        return found.filter { known.insert($0.objectID).inserted }
    }

    /// Returns the old objects that new ones continue.
    func sources(_ name: String?, _ destinations: [ManagedObject]) -> [ManagedObject] {
        if let pair, destinations.count == 1, destinations[0] === pair.destination,
            name == nil || name == current.name
        {
            return [pair.source]
        }
        var found: [ManagedObject] = []
        do {
            for object in destinations {
                for objects in mapped(name) {
                    for id in objects.sourceIDs(of: object) {
                        found.append(try old.object(with: id))
                    }
                }
            }
        } catch {
            failure = error
        }
        return found
    }

    /// Returns the IDs of all objects that a mapping reads.
    func sourceIDs(of objects: MappedObjects) throws(GraphError) -> [ObjectID] {
        var request = FetchRequest<ManagedObject>(objects.rule.source.name)
        request.includesSubentities = false
        return try old.idsInStore(request)
    }

    // MARK: Values

    /// Sets the attributes of a new object that a mapping lists with an expression.
    ///
    /// - Throws: A ``MappingFailure``, the error of the policy, or the errors of reading and setting the values.
    func setAttributes(
        _ attributes: [PropertyMapping], of object: ManagedObject, from source: ManagedObject,
        in mapping: EntityMapping, _ policy: EntityMigrationPolicy
    ) throws {
        for attribute in attributes {
            guard let expression = attribute.valueExpression else { continue }
            if case .keyPathOf(.variable("source"), let names) = expression, names.count == 1,
                try object.copyAttribute(attribute.name, from: source, names[0])
            {
                continue
            }
            let value = try value(
                of: expression, attribute.name, in: mapping, source: source, destination: object,
                policy)
            try object.setValue(value, forKey: attribute.name)
        }
    }

    /// Sets the relationships of a new object that a mapping lists with an expression.
    ///
    /// - Throws: A ``MappingFailure``, the error of the policy, or the errors of reading and setting the objects.
    func setRelationships(
        _ relationships: [PropertyMapping], of object: ManagedObject, from source: ManagedObject?,
        in mapping: EntityMapping, _ policy: EntityMigrationPolicy
    ) throws {
        for relationship in relationships {
            guard let expression = relationship.valueExpression else { continue }
            let value = try value(
                of: expression, relationship.name, in: mapping, source: source,
                destination: object, policy)
            try set(value, of: relationship.name, of: object)
        }
    }

    /// Returns the value of an expression of a property mapping.
    ///
    /// - Throws: A ``MappingFailure``, the error of the policy, or the errors of reading the objects.
    private func value(
        of expression: FetchExpression, _ property: String, in mapping: EntityMapping,
        source: ManagedObject?, destination: ManagedObject?, _ policy: EntityMigrationPolicy
    ) throws -> Any? {
        func unknown() -> MappingFailure {
            .unknownExpression("\(expression)", property: property, mapping: mapping.name)
        }
        func argument(_ expression: FetchExpression) throws -> Any? {
            try value(
                of: expression, property, in: mapping, source: source, destination: destination,
                policy)
        }
        if let names = expression.sourcePath {
            switch names.count {
            case 0: return source
            case 1: return try source?.value(forKey: names[0])
            default: return try source?.value(forKeyPath: names.joined(separator: "."))
            }
        }
        switch expression {
        case .constant(let value): return value.anyValue
        case .variable("destination"): return destination
        case .variable("entityMapping"): return mapping
        case .variable("entityPolicy"): return policy
        case .variable("manager"): return manager
        case .list(let items): return try items.map(argument)
        case .keyPathOf(.variable("destination"), let names):
            return try destination?.value(forKeyPath: names.joined(separator: "."))
        case .keyPathOf(.variable("entityMapping"), let names) where names.first == "userInfo":
            return names.count == 2 ? mapping.userInfo[names[1]] : mapping.userInfo
        case .keyPathOf(.variable("manager"), let names) where names.first == "userInfo":
            return names.count == 2 ? userInfo[names[1]] : userInfo
        case .function("now", _): return Date()
        case .function(let selector, let arguments):
            guard case .variable(let receiver)? = arguments.first else { throw unknown() }
            let values = try arguments.dropFirst().map(argument)
            switch receiver {
            case "entityPolicy": return try policy.value(forFunction: selector, arguments: values)
            case "manager": return try managerValue(selector, values)
            default: throw unknown()
            }
        default: throw unknown()
        }
    }

    /// Returns the value of a call of a method of the manager.
    private func managerValue(_ selector: String, _ arguments: [Any?]) throws -> Any? {
        guard arguments.count == 2, let name = arguments[0] as? String else {
            throw MappingFailure.unknownFunction(selector, of: "the migration manager")
        }
        switch selector {
        case "destinationInstancesForEntityMappingNamed:sourceInstances:":
            return destinations(name, Self.objects(in: arguments[1]).map(\.objectID))
        case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
            return destinations(nil, Self.objects(in: arguments[1]).map(\.objectID))
        case "sourceInstancesForEntityMappingNamed:destinationInstances:":
            return sources(name, Self.objects(in: arguments[1]))
        default: throw MappingFailure.unknownFunction(selector, of: "the migration manager")
        }
    }

    private static func objects(in value: Any?) -> [ManagedObject] {
        switch value {
        case let object as ManagedObject: [object]
        case let objects as [ManagedObject]: objects
        case let members as ObjectSet<ManagedObject>: Array(members)
        case let members as OrderedObjects<ManagedObject>: Array(members)
        case let values as [Any]: values.flatMap { objects(in: $0) }
        default: []
        }
    }

    /// Sets a relationship to the objects in a value. Objects of other entities are left out.
    private func set(_ value: Any?, of name: String, of object: ManagedObject) throws {
        guard let relationship = object.entity.relationship(named: name) else {
            return try object.setValue(value, forKey: name)
        }
        let members = Self.objects(in: value).filter {
            $0.entity.isKind(of: relationship.destination)
        }
        if relationship.isToMany { return try object.setValue(members, forKey: name) }
        guard members.count <= 1 else {
            throw MappingFailure.severalDestinations(relationship: name)
        }
        try object.setValue(members.first, forKey: name)
    }
}
