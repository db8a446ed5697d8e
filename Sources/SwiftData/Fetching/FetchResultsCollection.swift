internal import CairnObjects

/// The models that a fetch found. Each instance is created when it is first used. The collection does not change when
/// models change, and belongs to the context.
public struct FetchResultsCollection<Element: PersistentModel>: RandomAccessCollection {
    private let results: FetchResults<BackingData>
    private let context: ModelContext

    init(_ results: FetchResults<BackingData>, _ context: ModelContext) {
        self.results = results
        self.context = context
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of models.
    public var endIndex: Int { results.endIndex }

    /// The model at a position.
    ///
    /// - Precondition: The position is a valid index of the collection.
    public subscript(position: Int) -> Element {
        context.element(results[position])
    }
}
