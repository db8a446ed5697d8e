import CairnModel

/// The numbers that a mapping model adds to the keys of its objects.
///
/// Objects keep their keys. Only if several mappings create objects in one hierarchy, and could give two
/// objects the same key, the keys of the later mapping follow after those of the earlier one. The ID of
/// an object's successor therefore follows from its own ID, and no table of all objects is needed.
package struct KeyOffsets: Sendable {
    /// Indexed like the rules of the mapping.
    package private(set) var offsets: [Int64] = []
    /// The lowest key that no object of the mapping has, by root entity of the new model.
    private(set) var nextKeys: [EntityNumber: Int64] = [:]

    /// Objects of one old hierarchy that have the same offset.
    private struct Span {
        let source: EntityNumber
        let offset: Int64
        var entities: Set<EntityNumber>
    }

    /// - Parameter oldKeys: the lowest key that no object of the old store has, by root entity.
    /// - Throws: `.keysExhausted` if the keys of several mappings together exceed the greatest key.
    init(
        _ mapping: ResolvedMapping, oldKeys: [EntityNumber: Int64]
    ) throws(KeysExhausted) {
        var spans: [EntityNumber: [Span]] = [:]
        for rule in mapping.rules {
            let (source, root) = (rule.source.rootEntity.number, rule.destination.rootEntity.number)
            let known = spans[root, default: []]
            if let index = known.firstIndex(where: {
                $0.source == source && !$0.entities.contains(rule.source.number)
            }) {
                spans[root]?[index].entities.insert(rule.source.number)
                offsets.append(known[index].offset)
                continue
            }
            let offset = nextKeys[root].map { $0 - 1 } ?? 0
            let (next, overflows) = offset.addingReportingOverflow(oldKeys[source] ?? 1)
            if overflows { throw KeysExhausted(entity: rule.destination.rootEntity) }
            spans[root, default: []].append(
                Span(source: source, offset: offset, entities: [rule.source.number]))
            offsets.append(offset)
            nextKeys[root] = next
        }
    }

    /// The keys of this hierarchy would exceed the greatest key.
    struct KeysExhausted: Error { let entity: Entity }
}
