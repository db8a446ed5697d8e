import CairnModel

/// Follows relationships from an object. The results contain `nil` where a to-one relationship
/// leads to no object.
struct WalkReader<Source: EvaluationSource> {
    private let start: BoundPath.Start
    private let relationships: [Relationship]

    init(_ path: BoundPath) {
        start = path.start
        relationships = path.relationships
    }

    /// Returns the objects at the end of the path.
    func objects(
        from object: Source.Object, _ context: EvaluationContext<Source>
    ) throws(Source.Failure) -> [Source.Object?] {
        var current = [begin(object, context)]
        for relationship in relationships {
            let ids = try step(relationship, from: current, context)
            current = try resolve(ids, context)
        }
        return current
    }

    /// Returns the IDs at the end of the path as values. The objects of the last step are not read.
    func ids(
        from object: Source.Object, _ context: EvaluationContext<Source>
    ) throws(Source.Failure) -> [Value] {
        var current = [begin(object, context)]
        guard let last = relationships.last else {
            return current.map { $0.map { .objectID(context.source.id(of: $0)) } ?? .null }
        }
        for relationship in relationships.dropLast() {
            let ids = try step(relationship, from: current, context)
            current = try resolve(ids, context)
        }
        return try step(last, from: current, context).map { $0.map(Value.objectID) ?? .null }
    }

    private func begin(
        _ object: Source.Object, _ context: EvaluationContext<Source>
    ) -> Source.Object? {
        switch start {
        case .evaluatedObject: object
        case .variable(let number): context.variables[number]
        }
    }

    private func step(
        _ relationship: Relationship, from objects: [Source.Object?],
        _ context: EvaluationContext<Source>
    ) throws(Source.Failure) -> [ObjectID?] {
        var ids: [ObjectID?] = []
        for object in objects {
            if relationship.isToMany {
                guard let object else { continue }
                ids += try context.source.members(of: relationship, in: object)
            } else if let object {
                ids.append(try context.source.destination(of: relationship, in: object))
            } else {
                ids.append(nil)
            }
        }
        return ids
    }

    private func resolve(
        _ ids: [ObjectID?], _ context: EvaluationContext<Source>
    ) throws(Source.Failure) -> [Source.Object?] {
        var found = try context.source.objects(for: ids.compactMap(\.self)).makeIterator()
        return ids.map { id in
            if id == nil { return nil }
            return found.next() ?? nil
        }
    }
}
