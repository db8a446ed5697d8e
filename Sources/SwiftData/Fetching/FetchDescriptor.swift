public import Foundation

/// The models to fetch, and their order.
///
/// ```swift
/// var descriptor = FetchDescriptor<Trip>(
///     predicate: #Predicate { $0.start > today }, sortBy: [SortDescriptor(\.start)])
/// descriptor.fetchLimit = 10
/// let trips = try context.fetch(descriptor)
/// ```
public struct FetchDescriptor<Model: PersistentModel> {
    /// The condition that models must meet. `nil` means all models of the class.
    public var predicate: Predicate<Model>?
    /// The sort order, the most significant descriptor first. Models that compare as equal are in the order in which
    /// they were created.
    public var sortBy: [SortDescriptor<Model>]
    /// The maximum number of models. `nil` means no limit.
    public var fetchLimit: Int?
    /// The number of matches to skip. `nil` means none.
    public var fetchOffset: Int?
    /// Whether the context's unsaved changes are taken into account.
    public var includePendingChanges = true
    /// The relationships whose models are fetched together with the matches.
    public var relationshipKeyPathsForPrefetching: [PartialKeyPath<Model>] = []

    /// Creates a descriptor without a limit.
    ///
    /// - Parameters:
    ///   - predicate: The condition that models must meet. `nil` means all models of the class.
    ///   - sortBy: The sort order, the most significant descriptor first.
    public init(predicate: Predicate<Model>? = nil, sortBy: [SortDescriptor<Model>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}
