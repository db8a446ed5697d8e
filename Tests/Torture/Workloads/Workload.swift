import Cairn

/// A predictable sequence of saves. A seed reproduces it, and it knows the content of a store after each
/// save.
///
/// To add a workload, conform a type to this protocol and add it to ``Workloads``.
protocol Workload: Sendable {
    /// The name that `--workload` and reports use.
    static var name: String { get }
    static var entities: [EntityDescription] { get }
    /// Whether the edits of a step are a batch, which is a save without a name. The default implementation returns
    /// `false`.
    static var editsSave: Bool { get }

    /// Creates the workload in the state before the first save.
    init(seed: UInt64)

    /// The number of saves so far.
    var step: Int { get }

    /// Advances to the state after the next save. Returns the edits that bring a context to that state.
    mutating func advance() -> [any Edit]

    /// The text of every object in the current state, sorted.
    var texts: [String] { get }

    /// Returns the objects of a context as text, in the form of ``texts``.
    static func read(_ context: ManagedObjectContext) throws -> [String]

    /// Returns the text of one object, including unsaved values.
    static func text(of object: ManagedObject) throws -> String

    /// Returns the number of saves according to a store, or 0 for an empty store.
    static func readStep(_ context: ManagedObjectContext) throws -> Int
}

/// A change to a context.
protocol Edit: Sendable {
    func apply(to context: ManagedObjectContext) throws
}

/// All workloads.
enum Workloads {
    static let all: [any Workload.Type] = [Gallery.self, Stock.self]

    static func named(_ name: String) -> (any Workload.Type)? { all.first { $0.name == name } }

    /// The model of each workload, by its name. Models are compiled once, before processes are forked.
    static let models: [String: ManagedObjectModel] = Dictionary(
        uniqueKeysWithValues: all.compactMap { type in
            (try? ManagedObjectModel(type.entities)).map { (type.name, $0) }
        })
}

extension Workload {
    static var editsSave: Bool { false }

    static func model() throws -> ManagedObjectModel {
        guard let model = Workloads.models[name] else {
            throw HarnessFailure("the model of \(name) is not valid")
        }
        return model
    }

    /// Creates the workload in the state after the given number of saves.
    init(seed: UInt64, after step: Int) {
        self.init(seed: seed)
        while self.step < step { _ = advance() }
    }
}

extension ManagedObjectContext {
    func all(_ entity: String) throws -> [ManagedObject] {
        try all(FetchRequest<ManagedObject>(entity))
    }

    func all(_ request: FetchRequest<ManagedObject>) throws -> [ManagedObject] {
        try fetch(request)
    }
}
