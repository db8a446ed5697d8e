import CairnModel
import CairnObjects
import CairnStack
import Foundation

/// Fetches with Swift's predicates and key paths.
///
/// ```swift
/// let authors = try context.fetch(
///     Author.self, where: #Predicate { $0.born != nil && $0.books.contains { $0.pages > 300 } },
///     sortedBy: [SortDescriptor(\.name)], limit: 10)
/// ```
///
/// A predicate is translated once, when the request is created, and means the same on every engine. A part
/// that a fetch cannot evaluate is refused with an error that names the part. Some rules are those of
/// ``CairnModel/FetchPredicate``: text is compared by Unicode scalars, the `count` of a text is its number of UTF-16
/// code units, NaN equals NaN, a division by zero gives nil, an overflow is no error, and a comparison with
/// `$0.born!` is false if the value is nil.
extension ManagedObjectContext {
    /// Creates a request for objects of a class.
    ///
    /// - Parameters:
    ///   - objectClass: The class of the objects. Objects of subentities also match.
    ///   - predicate: The condition that objects must meet. `nil` means all objects of the class.
    ///   - sorts: The sort order. The most significant descriptor comes first.
    ///   - limit: The maximum number of objects. `nil` means no limit.
    ///   - offset: The number of matches to skip.
    /// - Throws: `.predicate(.unsupported)` if a fetch cannot evaluate a part of the predicate or a key path;
    ///   `.classWithoutEntity` and other errors, as a fetch of objects of the class throws.
    public func request<Object: ManagedObject>(
        for objectClass: Object.Type, where predicate: Predicate<Object>? = nil,
        sortedBy sorts: [SortDescriptor<Object>] = [], limit: Int? = nil, offset: Int = 0
    ) throws(GraphError) -> FetchRequest<Object> {
        try checkTurn("request")
        let resolver = KeyPathResolver(kinds)
        var request = FetchRequest<Object>(entityName: try kinds.kind(of: objectClass).entity.name)
        if let predicate { request.predicate = try SwiftPredicateReader.read(predicate, resolver) }
        for sort in sorts { request.sortDescriptors.append(try resolver.sort(sort)) }
        request.fetchLimit = limit ?? 0
        request.fetchOffset = offset
        // In a request, a limit of 0 means no limit.
        if limit == 0 { request.predicate = .constant(false) }
        return request
    }

    /// Fetches objects of a class.
    ///
    /// - Parameters:
    ///   - objectClass: The class of the objects. Objects of subentities also match.
    ///   - predicate: The condition that objects must meet. `nil` means all objects of the class.
    ///   - sorts: The sort order. The most significant descriptor comes first. Objects with equal
    ///     values are sorted by key.
    ///   - limit: The maximum number of objects. `nil` means no limit.
    ///   - offset: The number of matches to skip.
    ///   - batchSize: The number of objects whose values are fetched at a time. 0 means that all values
    ///     are fetched at once. See ``FetchRequest/fetchBatchSize``.
    ///   - paths: The relationships whose objects are fetched together with the matches.
    /// - Throws: The same errors as ``request(for:where:sortedBy:limit:offset:)`` and `fetch(_:)`.
    public func fetch<Object: ManagedObject>(
        _ objectClass: Object.Type, where predicate: Predicate<Object>? = nil,
        sortedBy sorts: [SortDescriptor<Object>] = [], limit: Int? = nil, offset: Int = 0,
        batchSize: Int = 0, prefetching paths: [PartialKeyPath<Object>] = []
    ) throws(GraphError) -> FetchResults<Object> {
        var request = try request(
            for: objectClass, where: predicate, sortedBy: sorts, limit: limit, offset: offset)
        request.fetchBatchSize = batchSize
        for path in paths {
            let names = try KeyPathResolver(kinds).names(of: path, from: objectClass)
            request.relationshipKeyPathsForPrefetching.append(names.joined(separator: "."))
        }
        return try fetch(request)
    }

    /// Fetches the objects whose reference, or to-one relationship, leads to an object. A reference is compared by its
    /// key, with its index, and may lead to another store.
    ///
    /// ```swift
    /// let sightings = try context.fetch(Sighting.self, referringTo: wren, by: \.species)
    /// ```
    ///
    /// - Throws: The same errors as ``fetch(_:where:sortedBy:limit:offset:batchSize:prefetching:)``.
    public func fetch<Object: ManagedObject, Destination: ManagedObject>(
        _ objectClass: Object.Type, referringTo destination: Destination,
        by path: KeyPath<Object, Destination?>, sortedBy sorts: [SortDescriptor<Object>] = []
    ) throws(GraphError) -> FetchResults<Object> {
        var request = try request(for: objectClass, sortedBy: sorts)
        let names = try KeyPathResolver(kinds).names(of: path, from: objectClass)
        request.predicate = .comparison(
            PredicateComparison(.keyPath(names), .equal, destination._predicateExpression))
        return try fetch(request)
    }

    /// Fetches the first match. Returns `nil` if there are no matches.
    ///
    /// - Throws: The same errors as ``fetch(_:where:sortedBy:limit:offset:batchSize:prefetching:)``.
    public func first<Object: ManagedObject>(
        _ objectClass: Object.Type, where predicate: Predicate<Object>? = nil,
        sortedBy sorts: [SortDescriptor<Object>] = []
    ) throws(GraphError) -> Object? {
        try fetch(objectClass, where: predicate, sortedBy: sorts, limit: 1).first
    }

    /// Returns the number of matches. Creates no objects.
    ///
    /// - Throws: The same errors as ``fetch(_:where:sortedBy:limit:offset:batchSize:prefetching:)``.
    public func count<Object: ManagedObject>(
        _ objectClass: Object.Type, where predicate: Predicate<Object>? = nil
    ) throws(GraphError) -> Int {
        try count(for: try request(for: objectClass, where: predicate))
    }

    /// Fetches the IDs of matches. Creates no objects.
    ///
    /// - Throws: The same errors as ``fetch(_:where:sortedBy:limit:offset:batchSize:prefetching:)``.
    public func fetchIDs<Object: ManagedObject>(
        _ objectClass: Object.Type, where predicate: Predicate<Object>? = nil,
        sortedBy sorts: [SortDescriptor<Object>] = [], limit: Int? = nil, offset: Int = 0
    ) throws(GraphError) -> [EntityID<Object>] {
        try fetchIDs(
            try request(
                for: objectClass, where: predicate, sortedBy: sorts, limit: limit, offset: offset)
        ).map { EntityID($0) }
    }
}

extension KeyPathResolver {
    /// Translates a sort descriptor. Text is ordered by Unicode scalars for `.lexical`. For all other
    /// comparators it is ordered as ``CairnStore/BoundSort/TextOrder/standard`` describes, independent of the
    /// locale.
    ///
    /// - Throws: `.predicate(.unsupported)` if the descriptor sorts by something that is not in the model.
    fileprivate func sort<Object: ManagedObject>(
        _ sort: SortDescriptor<Object>
    ) throws(GraphError) -> FetchSortDescriptor {
        guard let path = sort.keyPath else { throw SwiftPredicateReader.unsupported(sort) }
        let names = try names(of: path, from: Object.self)
        let isLexical = sort.stringComparator.map { $0 == .lexical } ?? true
        return FetchSortDescriptor(
            names.joined(separator: "."), ascending: sort.order == .forward,
            textOrder: isLexical ? .scalars : .standard)
    }
}

extension Instantiable where Self: ManagedObject {
    /// Returns whether a reference has a key that leads to no object: `sighting.isMissing(\.species)`.
    ///
    /// - Throws: `.predicate(.unsupported)` for a key path that is not a property of the model; otherwise the same
    ///   errors as `isMissing(_:)` with a name.
    public func isMissing<Destination: ManagedObject>(
        _ path: KeyPath<Self, Destination?>
    ) throws(GraphError) -> Bool {
        let resolver = KeyPathResolver(try presentContext.kinds)
        return try isMissing(try resolver.names(of: path, from: Self.self).joined(separator: "."))
    }
}
