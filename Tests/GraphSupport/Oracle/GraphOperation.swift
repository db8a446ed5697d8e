/// An edit with its choices made. Numbers identify nodes.
package enum GraphOperation: Hashable, Sendable {
    case insert(Int, NodeKind)
    case setText(Int, String)
    case setRank(Int, Int32)
    case file(note: Int, folder: Int, index: Int)
    /// Arranges the notes of the folder in the given order.
    case arrange(folder: Int, notes: [Int])
    case exchange(folder: Int, Int, Int)
    /// Sets the note's side of the relationship. `nil` removes the note from its folder.
    case setFolder(note: Int, folder: Int?)
    case setTagged(note: Int, tag: Int, isTagged: Bool, fromTag: Bool)
    /// `nil` removes the cover.
    case setCover(folder: Int, note: Int?)
    /// Sets the cover from the note's side.
    case setCovered(note: Int, folder: Int)
    /// `nil` removes the parent.
    case setParent(folder: Int, parent: Int?)
    /// Sets the parent from the parent's side.
    case addChild(folder: Int, parent: Int)
    /// `nil` removes the topic.
    case setTopic(note: Int, topic: Int?)
    case delete(Int)
}

extension NaiveGraph {
    /// Makes an edit's choices and applies the edit. Returns `nil` if there is nothing to work on.
    ///
    /// - Parameter serial: A number that is unique to the edit.
    package mutating func apply(_ edit: GraphEdit, serial: Int) -> GraphOperation? {
        guard let operation = operation(for: edit, serial: serial) else { return nil }
        apply(operation)
        return operation
    }

    private func operation(for edit: GraphEdit, serial: Int) -> GraphOperation? {
        switch edit {
        case .insert(let kind): return .insert(serial, kind)
        case .setText(let pick): return any(pick).map { .setText($0, "text \(serial)") }
        case .setRank(let pick): return any(pick).map { .setRank($0, Int32(serial)) }
        case .file(let note, let folder, let pick):
            guard let note = self.note(note), let folder = self.folder(folder) else { return nil }
            let index = pick % (notes(ofFolder: folder).count + 1)
            return .file(note: note, folder: folder, index: index)
        case .reorder(let folder, let pick):
            guard let folder = self.folder(folder) else { return nil }
            let notes = notes(ofFolder: folder)
            guard notes.count > 1 else { return nil }
            let first = pick % notes.count
            return pick % 3 == 0
                ? .arrange(folder: folder, notes: notes[first...].reversed() + notes[..<first])
                : .exchange(folder: folder, first, pick / 3 % notes.count)
        case .refile(let note, let folder):
            guard let note = self.note(note), let folder = self.folder(folder) else { return nil }
            let isThere = self.folder(ofNote: note) == folder
            return .setFolder(note: note, folder: isThere ? nil : folder)
        case .toggleTag(let note, let tag, let fromTag):
            guard let note = self.note(note), let tag = self.tag(tag) else { return nil }
            let isTagged = taggings.contains(Tagging(note: note, tag: tag))
            return .setTagged(note: note, tag: tag, isTagged: !isTagged, fromTag: fromTag)
        case .toggleCover(let folder, let note, let fromNote):
            guard let note = self.note(note), let folder = self.folder(folder) else { return nil }
            if coverOfFolder[folder] == note { return .setCover(folder: folder, note: nil) }
            return fromNote
                ? .setCovered(note: note, folder: folder) : .setCover(folder: folder, note: note)
        case .toggleParent(let folder, let parent, let fromParent):
            guard let folder = self.folder(folder), let parent = self.folder(parent)
            else { return nil }
            if parentOfFolder[folder] == parent { return .setParent(folder: folder, parent: nil) }
            return fromParent
                ? .addChild(folder: folder, parent: parent)
                : .setParent(folder: folder, parent: parent)
        case .toggleTopic(let note, let topic):
            guard let note = self.note(note), let topic = self.topic(topic) else { return nil }
            return .setTopic(note: note, topic: nodes[note]?.topic == topic ? nil : topic)
        case .delete(let pick): return any(pick).map { .delete($0) }
        }
    }

    private mutating func apply(_ operation: GraphOperation) {
        switch operation {
        case .insert(let number, let kind): nodes[number] = Node(kind: kind)
        case .setText(let number, let text): nodes[number]?.text = text
        case .setRank(let number, let rank): nodes[number]?.rank = rank
        case .file(let note, let folder, let index): file(note, in: folder, at: index)
        case .arrange(let folder, let notes): arrange(notes, in: folder)
        case .exchange(let folder, let first, let second):
            var notes = notes(ofFolder: folder)
            notes.swapAt(first, second)
            arrange(notes, in: folder)
        case .setFolder(let note, let folder?): file(note, in: folder, at: .max)
        case .setFolder(let note, nil): unfile(note)
        case .setTagged(let note, let tag, _, _): toggle(Tagging(note: note, tag: tag))
        case .setCover(let folder, let note): setCover(of: folder, to: note)
        case .setCovered(let note, let folder): setCover(of: folder, to: note)
        case .setParent(let folder, let parent): setParent(of: folder, to: parent)
        case .addChild(let folder, let parent): setParent(of: folder, to: parent)
        case .setTopic(let note, let topic): nodes[note]?.topic = topic
        case .delete(let number): delete(number)
        }
    }

    package func any(_ pick: Int) -> Int? { choose(pick) { _ in true } }
    private func note(_ pick: Int) -> Int? { choose(pick, \.isNote) }
    private func folder(_ pick: Int) -> Int? { choose(pick) { $0 == .folder } }
    private func tag(_ pick: Int) -> Int? { choose(pick) { $0 == .tag } }
    private func topic(_ pick: Int) -> Int? { choose(pick) { $0 == .topic } }

    private func choose(_ pick: Int, _ isWanted: (NodeKind) -> Bool) -> Int? {
        let numbers = numbers(isWanted)
        return numbers.isEmpty ? nil : numbers[pick % numbers.count]
    }
}
