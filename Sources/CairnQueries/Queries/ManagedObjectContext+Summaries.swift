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
        try summary(.sum, of: path, where: predicate) ?? .zero
    }

    /// Returns the sum of a number that may be `nil`, in the same way as for other numbers.
    public func sum<Object: ManagedObject, Number: AttributeValue & Numeric>(
        of path: KeyPath<Object, Number?>, where predicate: Predicate<Object>? = nil
    ) throws(GraphError) -> Number {
        try summary(.sum, of: path, where: predicate) ?? .zero
    }

    /// Returns the mean of a number over all matches. Creates no objects, and ignores unsaved changes.
    ///
    /// - Parameters: The same as those of ``sum(of:where:)-(KeyPath<Object,Number>,_)``.
    /// - Returns: The mean of the values that are not `nil`. `nil` if there are no such values.
    /// - Throws: The same errors as ``sum(of:where:)-(KeyPath<Object,Number>,_)``.
    public func average<Object: ManagedObject, Number: AttributeValue & Numeric>(
        of path: KeyPath<Object, Number>, where predicate: Predicate<Object>? = nil
    ) throws(GraphError) -> Double? {
        try mean(of: path, where: predicate)
    }

    /// Returns the mean of a number that may be `nil`, in the same way as for other numbers.
    public func average<Object: ManagedObject, Number: AttributeValue & Numeric>(
        of path: KeyPath<Object, Number?>, where predicate: Predicate<Object>? = nil
    ) throws(GraphError) -> Double? {
        try mean(of: path, where: predicate)
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
        try summary(.minimum, of: path, where: predicate)
    }

    /// Returns the smallest value of an attribute that may be `nil`, in the same way as for other attributes.
    public func minimum<Object: ManagedObject, Attribute: AttributeValue>(
        of path: KeyPath<Object, Attribute?>, where predicate: Predicate<Object>? = nil
    ) throws(GraphError) -> Attribute? {
        try summary(.minimum, of: path, where: predicate)
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
        try summary(.maximum, of: path, where: predicate)
    }

    /// Returns the largest value of an attribute that may be `nil`, in the same way as for other attributes.
    public func maximum<Object: ManagedObject, Attribute: AttributeValue>(
        of path: KeyPath<Object, Attribute?>, where predicate: Predicate<Object>? = nil
    ) throws(GraphError) -> Attribute? {
        try summary(.maximum, of: path, where: predicate)
    }

    private func mean<Object: ManagedObject>(
        of path: PartialKeyPath<Object>, where predicate: Predicate<Object>?
    ) throws(GraphError) -> Double? {
        switch try summaryValue(.average, of: path, where: predicate) {
        case .double(let mean): mean
        case .decimal(let mean): NSDecimalNumber(decimal: mean).doubleValue
        case .integer(let mean): Double(mean)
        case .float(let mean): Double(mean)
        default: nil
        }
    }

    private func summary<Object: ManagedObject, Attribute: AttributeValue>(
        _ function: PredicateFunction, of path: PartialKeyPath<Object>,
        where predicate: Predicate<Object>?
    ) throws(GraphError) -> Attribute? {
        var value = try summaryValue(function, of: path, where: predicate)
        if value.isNull { return nil }
        // The sum of floats is a double.
        if Attribute.self is Float.Type, case .double(let sum) = value {
            value = .float(Float(sum))
        }
        // The sum of integers of any width has 64 bits, so it may be beyond the attribute's range.
        guard let summary = Attribute(_attributeValue: value) else {
            throw .wrongType(
                entity: "\(Object.self)", property: "\(function.rawValue)",
                expected: "a result that fits the type \(Attribute.self)",
                found: "\(value.typeDescription) that does not")
        }
        return summary
    }

    private func summaryValue<Object: ManagedObject>(
        _ function: PredicateFunction, of path: PartialKeyPath<Object>,
        where predicate: Predicate<Object>?
    ) throws(GraphError) -> Value {
        var request = try request(for: Object.self, where: predicate)
        let names = try KeyPathResolver(kinds).names(of: path, from: Object.self)
        request.propertiesToFetch = [
            .expression(
                ExpressionDescription(
                    "summary", .function(function.rawValue, [.keyPath(names)])))
        ]
        return try fetchDictionaries(request).first?["summary"] ?? .null
    }
}
