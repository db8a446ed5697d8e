import Cairn
import CairnTestSupport

/// What an item is: its values, or nothing where it was deleted.
struct ItemState: Sendable, Equatable {
    var a: Int
    var b: Int
    var box: String?
}

/// Items as several writers see them: the naive model of what each merge policy makes of them.
///
/// Knows nothing of rows, slots and journals: values by name, and how often each item was saved.
struct MergedItems: Sendable {
    /// What is stored; an item that was deleted is absent.
    private(set) var stored: [String: ItemState] = [:]
    private var versions: [String: Int] = [:]

    init(_ items: [String: ItemState]) {
        stored = items
        for name in items.keys { versions[name] = 1 }
    }

    /// What one writer has made of the items that it read.
    struct Edits: Sendable {
        let base: [String: ItemState]
        let versions: [String: Int]
        var states: [String: ItemState]

        init(_ items: MergedItems) {
            base = items.stored
            versions = items.versions
            states = items.stored
        }

        /// The items that the writer changed or deleted.
        var changed: [String] { base.keys.filter { base[$0] != states[$0] }.sorted() }
    }

    /// Saves edits that nobody else's come between.
    mutating func save(_ edits: Edits) {
        for name in edits.changed { store(edits.states[name], as: name) }
    }

    /// The items of the edits that others saved since they were read.
    func conflicts(with edits: Edits) -> [String] {
        edits.changed.filter { versions[$0] != edits.versions[$0] || stored[$0] == nil }
    }

    /// Saves edits as the policy says; what cannot be saved is left alone.
    mutating func save(_ edits: Edits, under policy: MergePolicyType) {
        let conflicts = Set(conflicts(with: edits))
        if policy == .error, !conflicts.isEmpty { return }
        for name in edits.changed {
            guard conflicts.contains(name) else {
                store(edits.states[name], as: name)
                continue
            }
            store(
                Self.merged(
                    base: edits.base[name], mine: edits.states[name], theirs: stored[name], policy),
                as: name)
        }
    }

    private mutating func store(_ state: ItemState?, as name: String) {
        guard stored[name] != state else { return }
        stored[name] = state
        versions[name, default: 0] += 1
    }

    private static func merged(
        base: ItemState?, mine: ItemState?, theirs: ItemState?, _ policy: MergePolicyType
    ) -> ItemState? {
        guard policy != .rollback else { return theirs }
        guard policy != .overwrite else { return mine }
        guard let base, let mine, let theirs else {
            return policy == .mergeByPropertyObjectTrump ? mine : theirs
        }
        func pick<T: Equatable>(_ path: KeyPath<ItemState, T>) -> T {
            let (was, here) = (base[keyPath: path], mine[keyPath: path])
            let there = theirs[keyPath: path]
            if here == was { return there }
            if there == was { return here }
            return policy == .mergeByPropertyObjectTrump ? here : there
        }
        return ItemState(a: pick(\.a), b: pick(\.b), box: pick(\.box))
    }
}

extension MergedItems.Edits {
    /// Changes or deletes some of the items here and in the context.
    mutating func change(
        _ context: ManagedObjectContext, using random: inout SeededRandom
    ) throws {
        for name in base.keys.sorted() where random.next() % 4 != 0 {
            let item = try context.item(name)
            if random.next() % 6 == 0 {
                states[name] = nil
                if let item { try context.delete(item) }
                continue
            }
            for _ in 0...(random.next() % 2) {
                try change(name, item, in: context, using: &random)
            }
        }
    }

    private mutating func change(
        _ name: String, _ item: ManagedObject?, in context: ManagedObjectContext,
        using random: inout SeededRandom
    ) throws {
        let value = Int(random.next() % 3)
        switch random.next() % 3 {
        case 0:
            states[name]?.a = value
            try item?.setValue(value, forKey: "a")
        case 1:
            states[name]?.b = value
            try item?.setValue(value, forKey: "b")
        default:
            let box = value == 2 ? nil : "box \(value)"
            states[name]?.box = box
            let object = try box.map { try context.only("Box", where: "name == '\($0)'") }
            try item?.setValue(object, forKey: "box")
        }
    }
}
