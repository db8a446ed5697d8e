import Cairn

/// A sequence of saves that is known before it runs: a seed repeats it, and it says what a store
/// holds after each save.
///
/// A new workload is one type that conforms, and one line in ``Workloads``.
protocol Workload: Sendable {
    /// What `--workload` and reports call it.
    static var name: String { get }
    static var entities: [EntityDescription] { get }

    /// Begins before the first save.
    init(seed: UInt64)

    /// How many saves were made.
    var step: Int { get }

    /// Goes on to the state after the next save, and returns how to change a context to that state.
    mutating func advance() -> [any Edit]

    /// The text of every object in the current state, sorted.
    var texts: [String] { get }

    /// Reads the objects of a context as ``texts`` writes them.
    static func read(_ context: ManagedObjectContext) throws -> [String]

    /// The text of one object, with values that need not be saved.
    static func text(of object: ManagedObject) throws -> String

    /// Reads the number of saves that a store says were made; 0 for an empty store.
    static func readStep(_ context: ManagedObjectContext) throws -> Int
}

/// One change to a context.
protocol Edit: Sendable {
    func apply(to context: ManagedObjectContext) throws
}

/// Every workload there is.
enum Workloads {
    static let all: [any Workload.Type] = [Gallery.self]

    static func named(_ name: String) -> (any Workload.Type)? { all.first { $0.name == name } }

    /// The model of each workload, by its name. Compiled once: a process that is copied has them.
    static let models: [String: ManagedObjectModel] = Dictionary(
        uniqueKeysWithValues: all.compactMap { type in
            (try? ManagedObjectModel(type.entities)).map { (type.name, $0) }
        })
}

extension Workload {
    static func model() throws -> ManagedObjectModel {
        guard let model = Workloads.models[name] else {
            throw HarnessFailure("the model of \(name) is not valid")
        }
        return model
    }

    /// The state after so many saves.
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
