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
