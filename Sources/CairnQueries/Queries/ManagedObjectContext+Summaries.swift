import CairnModel
import CairnObjects
import CairnStack
import Foundation

/// Sections and summaries by key path.
extension ManagedObjectContext {
    /// Fetches objects and groups them into sections, one for each value of a property, sorted by that value.
    ///
    /// Values that the property's type cannot distinguish form one section. An example is nil and 0 for a
    /// number that is not optional.
    ///
    /// - Parameters:
    ///   - objectClass: The class of the objects. Objects of subentities also match.
    ///   - path: The property. It may be reached through to-one relationships.
    ///   - predicate: The condition that objects must meet. `nil` means all objects of the class.
    ///   - sorts: The order within a section. The most significant descriptor comes first.
    /// - Throws: The same errors as ``fetch(_:where:sortedBy:limit:offset:batchSize:prefetching:)``.
    public func sections<Object: ManagedObject, Key: Hashable>(
        of objectClass: Object.Type, by path: KeyPath<Object, Key>,
        where predicate: Predicate<Object>? = nil, sortedBy sorts: [SortDescriptor<Object>] = []
    ) throws(GraphError) -> [ObjectSection<Key, Object>] {
        var request = try request(for: objectClass, where: predicate, sortedBy: sorts)
        let names = try KeyPathResolver(kinds).names(of: path, from: objectClass)
        request.sortDescriptors.insert(FetchSortDescriptor(names.joined(separator: ".")), at: 0)
        let sections = ObjectSection.divide(try fetch(request)) { $0[keyPath: path] }
        guard ObjectSection.repeatsKey(sections) else { return sections }
        request.sortDescriptors.removeFirst()
        return ObjectSection.joined(sections, inOrderOf: try fetchIDs(request))
    }

    /// Returns the sum of a number over all matches. Creates no objects, and ignores unsaved changes.
    ///
    /// - Parameters:
    ///   - path: The attribute. It may be reached through to-one relationships. `nil` values are skipped.
    ///   - predicate: The condition that objects must meet. `nil` means all objects of the class.
    /// - Returns: The sum, which is 0 if there are no matches.
    /// - Throws: `.wrongType` if the sum is beyond the type's range; otherwise the same errors as
    ///   ``fetch(_:where:sortedBy:limit:offset:batchSize:prefetching:)``.
    public func sum<Object: ManagedObject, Number: AttributeValue & Numeric>(
        of path: KeyPath<Object, Number>, where predicate: Predicate<Object>? = nil
    ) throws(GraphError) -> Number {
        try summary(.sum(path), where: predicate)
    }

    /// Returns the sum of a number that may be `nil`, in the same way as for other numbers.
    public func sum<Object: ManagedObject, Number: AttributeValue & Numeric>(
        of path: KeyPath<Object, Number?>, where predicate: Predicate<Object>? = nil
    ) throws(GraphError) -> Number {
        try summary(.sum(path), where: predicate)
    }

    /// Returns the mean of a number over all matches. Creates no objects, and ignores unsaved changes.
    ///
    /// - Parameters: The same as those of ``sum(of:where:)-(KeyPath<Object,Number>,_)``.
    /// - Returns: The mean of the values that are not `nil`. `nil` if there are no such values.
    /// - Throws: The same errors as ``sum(of:where:)-(KeyPath<Object,Number>,_)``.
    public func average<Object: ManagedObject, Number: AttributeValue & Numeric>(
        of path: KeyPath<Object, Number>, where predicate: Predicate<Object>? = nil
    ) throws(GraphError) -> Double? {
        try summary(.average(path), where: predicate)
    }

    /// Returns the mean of a number that may be `nil`, in the same way as for other numbers.
    public func average<Object: ManagedObject, Number: AttributeValue & Numeric>(
        of path: KeyPath<Object, Number?>, where predicate: Predicate<Object>? = nil
    ) throws(GraphError) -> Double? {
        try summary(.average(path), where: predicate)
    }

    /// Returns the smallest value of an attribute over all matches. Creates no objects, and ignores unsaved
    /// changes.
    ///
    /// - Parameters: The same as those of ``sum(of:where:)-(KeyPath<Object,Number>,_)``.
    /// - Returns: The smallest value that is not `nil`. `nil` if there are no such values.
    /// - Throws: The same errors as ``sum(of:where:)-(KeyPath<Object,Number>,_)``.
    public func minimum<Object: ManagedObject, Attribute: AttributeValue>(
        of path: KeyPath<Object, Attribute>, where predicate: Predicate<Object>? = nil
    ) throws(GraphError) -> Attribute? {
        try summary(.minimum(path), where: predicate)
    }

    /// Returns the smallest value of an attribute that may be `nil`, in the same way as for other attributes.
    public func minimum<Object: ManagedObject, Attribute: AttributeValue>(
        of path: KeyPath<Object, Attribute?>, where predicate: Predicate<Object>? = nil
    ) throws(GraphError) -> Attribute? {
        try summary(.minimum(path), where: predicate)
    }

    /// Returns the largest value of an attribute over all matches. Creates no objects, and ignores unsaved
    /// changes.
    ///
    /// - Parameters: The same as those of ``sum(of:where:)-(KeyPath<Object,Number>,_)``.
    /// - Returns: The largest value that is not `nil`. `nil` if there are no such values.
    /// - Throws: The same errors as ``sum(of:where:)-(KeyPath<Object,Number>,_)``.
    public func maximum<Object: ManagedObject, Attribute: AttributeValue>(
        of path: KeyPath<Object, Attribute>, where predicate: Predicate<Object>? = nil
    ) throws(GraphError) -> Attribute? {
        try summary(.maximum(path), where: predicate)
    }

    /// Returns the largest value of an attribute that may be `nil`, in the same way as for other attributes.
    public func maximum<Object: ManagedObject, Attribute: AttributeValue>(
        of path: KeyPath<Object, Attribute?>, where predicate: Predicate<Object>? = nil
    ) throws(GraphError) -> Attribute? {
        try summary(.maximum(path), where: predicate)
    }

    /// Groups the matches by a property, and returns one tuple for each of its values: the value, followed by the
    /// summaries of its group. Creates no objects, and ignores unsaved changes.
    ///
    /// ```swift
    /// for (isLent, pages, count) in try context.groups(of: Book.self, by: \.isLent, .sum(\.pages), .count) { … }
    /// ```
    ///
    /// - Parameters:
    ///   - objectClass: The class of the objects. Objects of subentities also match.
    ///   - path: The property. It may be reached through to-one relationships.
    ///   - predicate: The condition that objects must meet. `nil` means all objects of the class.
    ///   - summaries: What is computed of each group.
    /// - Returns: The groups in the order of the values. Objects in which the property is stored as `nil` form the first
    ///   group, with the value that the property returns for them.
    /// - Throws: `.wrongType` if a sum is beyond its type's range; otherwise the same errors as
    ///   ``fetch(_:where:sortedBy:limit:offset:batchSize:prefetching:)``.
    public func groups<Object: ManagedObject, Key: AttributeValue, each Result>(
        of objectClass: Object.Type, by path: KeyPath<Object, Key>,
        where predicate: Predicate<Object>? = nil,
        _ summaries: repeat GroupSummary<Object, each Result>
    ) throws(GraphError) -> [(Key, repeat each Result)] {
        var groups: [(Key, repeat each Result)] = []
        for row in try summaryRows(by: path, where: predicate, repeat each summaries) {
            var values = row[...]
            let key = Key(_attributeValue: values.removeFirst()) ?? .valueOfNil
            groups.append((key, repeat try (each summaries).result(values.removeFirst())))
        }
        return groups
    }

    /// Groups the matches by a property that may be `nil`, in the same way as by other properties.
    public func groups<Object: ManagedObject, Key: AttributeValue, each Result>(
        of objectClass: Object.Type, by path: KeyPath<Object, Key?>,
        where predicate: Predicate<Object>? = nil,
        _ summaries: repeat GroupSummary<Object, each Result>
    ) throws(GraphError) -> [(Key?, repeat each Result)] {
        var groups: [(Key?, repeat each Result)] = []
        for row in try summaryRows(by: path, where: predicate, repeat each summaries) {
            var values = row[...]
            let key = Key(_attributeValue: values.removeFirst())
            groups.append((key, repeat try (each summaries).result(values.removeFirst())))
        }
        return groups
    }

    private func summary<Object: ManagedObject, Result>(
        _ summary: GroupSummary<Object, Result>, where predicate: Predicate<Object>?
    ) throws(GraphError) -> Result {
        let rows = try summaryRows(by: nil, where: predicate, summary)
        return try summary.result(rows.first?.first ?? .null)
    }

    /// Returns the values of each group: its key, if there is a path, and then its summaries.
    private func summaryRows<Object: ManagedObject, each Result>(
        by path: PartialKeyPath<Object>?, where predicate: Predicate<Object>?,
        _ summaries: repeat GroupSummary<Object, each Result>
    ) throws(GraphError) -> [[Value]] {
        let resolver = KeyPathResolver(kinds)
        var request = try request(for: Object.self, where: predicate)
        var expressions: [FetchExpression] = []
        if let path {
            let names = try resolver.names(of: path, from: Object.self)
            request.propertiesToGroupBy = [names.joined(separator: ".")]
            expressions.append(.keyPath(names))
        }
        for summary in repeat each summaries {
            expressions.append(try summary.expression(resolver))
        }
        let names = expressions.indices.map { "\($0)" }
        request.propertiesToFetch = zip(names, expressions).map {
            .expression(ExpressionDescription($0, $1))
        }
        return try fetchDictionaries(request).map { row in names.map { row[$0] ?? .null } }
    }
}
