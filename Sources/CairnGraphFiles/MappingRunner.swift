import CairnModel
import CairnObjects
import CairnStack
import CairnStore
import CairnStoreCopying

/// Executes the parts of a mapping model that need objects, in three passes: creates the objects, connects them,
/// and validates them.
struct MappingRunner {
    /// The part that a rule has in the passes.
    private struct Part {
        let objects: MappedObjects
        let policy: EntityMigrationPolicy
        /// The attributes and the relationships to set. They do not matter if there is a policy, which sets all of
        /// them.
        let attributes: [PropertyMapping]
        let relationships: [PropertyMapping]
        let sources: [ObjectID]

        var mapping: EntityMapping { objects.rule.mapping }
        var creates: Bool { objects.hasPolicy || !attributes.isEmpty }
        var connects: Bool { objects.hasPolicy || !relationships.isEmpty }
        var validates: Bool { objects.hasPolicy }
        /// The number of objects that all passes together read.
        var stepCount: Int {
            sources.count * [creates, connects, validates].count(where: \.self)
        }
    }

    private let migration: ObjectMigration
    private let manager: MigrationManager
    private let parts: [Part]

    /// - Throws: The errors of reading the old store.
    init(
        _ migration: ObjectMigration, _ policies: [String: ModelHistory.Policy],
        _ manager: MigrationManager
    ) throws {
        self.migration = migration
        self.manager = manager
        var parts: [Part] = []
        for objects in migration.mapped {
            let rule = objects.rule
            let relationships = migration.rules.dependentRelationships(objects.index)
            guard rule.needsObjects || !relationships.isEmpty else { continue }
            let type = rule.policy.flatMap { policies[$0]?.body as? PolicyClass }?.type
            parts.append(
                Part(
                    objects: objects, policy: (type ?? EntityMigrationPolicy.self).init(),
                    attributes: rule.mapping.attributeMappings.filter {
                        rule.expressions[$0.name] != nil
                    },
                    relationships: relationships,
                    sources: try migration.old.performAndWait {
                        try migration.sourceIDs(of: objects)
                    }))
        }
        self.parts = parts
    }

    /// - Parameter name: Set to the name of the entity whose mapping is executed.
    func run(
        _ report: (StoreCopyProgress) -> StoreCopyDecision, _ name: inout String
    ) throws {
        let total = parts.reduce(0) { $0 + $1.stepCount }
        var done = 0
        func proceed(_ count: Int) throws {
            if let failure = migration.failure { throw failure }
            done += count
            if report(StoreCopyProgress(steps: done, of: max(total, 1))) == .cancel {
                throw StoreError.cancelled
            }
        }
        try forEachPart(&name) { try $0.policy.begin($0.mapping, with: manager) }
        try forEachPart(&name) { part in
            if part.creates {
                try forEachBatch(of: part, proceed) { try create($0, part) }
            }
            try part.policy.endInstanceCreation(forMapping: part.mapping, manager: manager)
        }
        try forEachPart(&name) { part in
            if part.connects {
                try forEachBatch(of: part, proceed) { try connect($0, part) }
            }
            try part.policy.endRelationshipCreation(forMapping: part.mapping, manager: manager)
        }
        try forEachPart(&name) { part in
            try part.policy.performCustomValidation(forMapping: part.mapping, manager: manager)
            if part.validates {
                try forEachBatch(of: part, proceed) { try validate($0, part) }
            }
        }
        try forEachPart(&name) { try $0.policy.end($0.mapping, manager: manager) }
    }

    // MARK: Loops

    /// Calls a body with each part, in turns of both contexts, and saves the new objects.
    private func forEachPart(_ name: inout String, _ body: (Part) throws -> Void) throws {
        for part in parts {
            name = part.objects.rule.destination.name
            migration.current = part.mapping
            try migration.old.performAndWait {
                try migration.new.performAndWait {
                    try body(part)
                    try migration.save()
                }
            }
            if let failure = migration.failure { throw failure }
        }
    }

    /// Calls a body with some of the old objects at a time, and saves the new ones.
    ///
    /// - Parameter body: Returns the size of the objects' rows, which decides how many objects are next.
    private func forEachBatch(
        of part: Part, _ finish: (Int) throws -> Void,
        _ body: (ArraySlice<ObjectID>) throws -> Int
    ) throws {
        let rule = part.objects.rule
        var size = BatchSize(
            hasExternalValues: rule.source.hasExternalValues || rule.destination.hasExternalValues)
        var rest = part.sources[...]
        while !rest.isEmpty {
            let batch = rest.prefix(size.rowCount)
            rest = rest.dropFirst(batch.count)
            size.note(try body(batch), of: batch.count)
            try migration.save()
            try finish(batch.count)
        }
    }

    // MARK: Passes

    private func create(_ sources: ArraySlice<ObjectID>, _ part: Part) throws -> Int {
        let (oldObjects, byteCount) = try migration.old.realizedObjects(with: Array(sources))
        if part.objects.hasPolicy {
            for source in oldObjects {
                try part.policy.createDestinationInstances(
                    forSource: source, in: part.mapping, manager: manager)
                if let failure = migration.failure { throw failure }
            }
            return byteCount
        }
        // The rows are there. Only some values need objects.
        let (newObjects, newByteCount) = try migration.new.realizedObjects(
            with: sources.flatMap(part.objects.destinationIDs))
        for (source, object) in zip(oldObjects, newObjects) {
            try migration.setAttributes(
                part.attributes, of: object, from: source, in: part.mapping, part.policy)
        }
        return byteCount + newByteCount
    }

    private func connect(_ sources: ArraySlice<ObjectID>, _ part: Part) throws -> Int {
        let (oldObjects, byteCount) = try migration.old.realizedObjects(with: Array(sources))
        let ids = sources.map(part.objects.destinationIDs)
        let (newObjects, newByteCount) = try migration.new.realizedObjects(
            with: Array(ids.joined()))
        var rest = newObjects[...]
        for (source, ids) in zip(oldObjects, ids) {
            for object in rest.prefix(ids.count) where !object.isFault && !object.isDeleted {
                migration.pair = (source, object)
                defer { migration.pair = nil }
                if part.objects.hasPolicy {
                    try part.policy.createRelationships(
                        forDestination: object, in: part.mapping, manager: manager)
                } else {
                    try migration.setRelationships(
                        part.relationships, of: object, from: source, in: part.mapping,
                        part.policy)
                }
                if let failure = migration.failure { throw failure }
            }
            rest = rest.dropFirst(ids.count)
        }
        return byteCount + newByteCount
    }

    private func validate(_ sources: ArraySlice<ObjectID>, _ part: Part) throws -> Int {
        let ids = sources.flatMap(part.objects.destinationIDs)
        let (objects, byteCount) = try migration.new.realizedObjects(with: ids)
        for object in objects where !object.isFault { try object.validateForInsert() }
        return byteCount
    }
}

extension ResolvedMapping {
    /// Returns the relationships of a mapping without a policy that rows alone do not set: those with an expression
    /// that needs objects, and those that lead to objects of policies, unless the policy's mapping sets the inverse.
    fileprivate func dependentRelationships(_ index: Int) -> [PropertyMapping] {
        let rule = rules[index]
        return rule.mapping.relationshipMappings.filter { property in
            if rule.expressions[property.name] != nil { return true }
            guard let destinations = rule.relationships[property.name],
                let relationship = rule.destination.relationship(named: property.name)
            else { return false }
            let policies = destinations.mappings.filter { rules[$0].policy != nil }
            if policies.isEmpty { return false }
            guard let inverse = relationship.inverse, relationship.isToMany,
                !relationship.isManyToMany, !relationship.isOrdered
            else { return true }
            return !policies.allSatisfy { rules[$0].relationships[inverse.name] != nil }
        }
    }
}

extension Entity {
    /// Whether attributes may have large values that are not part of the row.
    var hasExternalValues: Bool {
        attributes.contains(where: \.description.allowsExternalBinaryDataStorage)
    }
}
