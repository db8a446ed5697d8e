/// Actions that are undone together, in the order in which they were registered.
final class UndoGroup {
    enum Entry {
        case action(UndoAction)
        case group(UndoGroup)
    }

    private var entries: [Entry] = []
    /// The number of changes that the actions undo.
    private(set) var changeCount = 0
    /// Whether the group became too large to be kept, so that it no longer accepts actions.
    private(set) var isAbandoned = false
    var actionName: String
    var isDiscardable: Bool

    init(actionName: String = "", isDiscardable: Bool = false) {
        self.actionName = actionName
        self.isDiscardable = isDiscardable
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Adds an action or a group. Empty groups are ignored.
    func append(_ entry: Entry) {
        if isAbandoned { return }
        switch entry {
        case .group(let group):
            if group.isEmpty { return }
            if actionName.isEmpty { actionName = group.actionName }
            changeCount += group.changeCount
        case .action(let action): changeCount += action.changeCount
        }
        entries.append(entry)
    }

    /// Removes the actions. The group accepts no further actions.
    func abandon() {
        removeAll()
        isAbandoned = true
    }

    /// Removes the last entry and returns it, if it is a group. Otherwise, returns `nil`.
    func popLastGroup() -> UndoGroup? {
        guard case .group(let group)? = entries.last else { return nil }
        entries.removeLast()
        changeCount -= group.changeCount
        return group
    }

    /// Runs all actions, the last one first.
    func run() {
        for entry in entries.reversed() {
            switch entry {
            case .action(let action): action.run()
            case .group(let group): group.run()
            }
        }
    }

    func removeAll() {
        entries = []
        changeCount = 0
    }

    func removeActions(of target: AnyObject) {
        entries.removeAll { entry in
            switch entry {
            case .action(let action): return action.target == ObjectIdentifier(target)
            case .group(let group):
                group.removeActions(of: target)
                return group.isEmpty
            }
        }
        changeCount = entries.reduce(0) { count, entry in
            switch entry {
            case .action(let action): count + action.changeCount
            case .group(let group): count + group.changeCount
            }
        }
    }
}

/// A stack of closed groups, the last one on top.
struct UndoStack {
    private var groups: [UndoGroup] = []
    private var changeCount = 0

    var isEmpty: Bool { groups.isEmpty }
    var count: Int { groups.count }
    var last: UndoGroup? { groups.last }

    /// The limits of a stack. 0 means no limit.
    struct Limits {
        let groups: Int
        let changes: Int
    }

    /// Pushes a group unless it is empty, and drops the oldest groups beyond the limits.
    mutating func push(_ group: UndoGroup, within limits: Limits) {
        guard !group.isEmpty else { return }
        groups.append(group)
        changeCount += group.changeCount
        trim(to: limits)
    }

    mutating func pop() -> UndoGroup? {
        guard let group = groups.popLast() else { return nil }
        changeCount -= group.changeCount
        return group
    }

    /// Drops the oldest groups beyond the limits. The last group is kept, whatever its size.
    mutating func trim(to limits: Limits) {
        var dropped = limits.groups > 0 ? max(groups.count - limits.groups, 0) : 0
        changeCount -= groups.prefix(dropped).reduce(0) { $0 + $1.changeCount }
        while limits.changes > 0, changeCount > limits.changes, dropped < groups.count - 1 {
            changeCount -= groups[dropped].changeCount
            dropped += 1
        }
        groups.removeFirst(dropped)
    }

    mutating func removeAll() {
        groups.removeAll()
        changeCount = 0
    }

    mutating func removeActions(of target: AnyObject) {
        for group in groups { group.removeActions(of: target) }
        groups.removeAll(where: \.isEmpty)
        changeCount = groups.reduce(0) { $0 + $1.changeCount }
    }
}

/// A registered action.
struct UndoAction {
    /// The identity of the target. It is used only for comparison, because the target may no longer
    /// exist.
    let target: ObjectIdentifier
    /// The number of changes that the action undoes. Its memory grows with this number.
    let changeCount: Int
    let run: () -> Void
}
