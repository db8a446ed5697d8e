/// Folders, notes and tags as plain values: the expected state of a graph.
///
/// Each relationship is stored once, so its two ends cannot disagree.
package struct NaiveGraph: Hashable, Sendable {
    package struct Node: Hashable, Sendable {
        let kind: NodeKind
        var text: String?
        var rank: Int32 = 0
        /// The number of a note's topic, even after the topic was deleted.
        var topic: Int?
    }

    package struct Tagging: Hashable, Sendable {
        let note: Int
        let tag: Int
    }

    /// The nodes by their permanent numbers.
    package var nodes: [Int: Node] = [:]
    /// The notes of each folder, in order. No entry is empty.
    private(set) package var notesOfFolder: [Int: [Int]] = [:]
    private(set) package var parentOfFolder: [Int: Int] = [:]
    private(set) package var coverOfFolder: [Int: Int] = [:]
    private(set) package var taggings: Set<Tagging> = []

    // MARK: Reading

    package func numbers(_ isWanted: (NodeKind) -> Bool) -> [Int] {
        nodes.filter { isWanted($0.value.kind) }.keys.sorted()
    }

    package func folder(ofNote note: Int) -> Int? {
        notesOfFolder.first { $0.value.contains(note) }?.key
    }
    package func notes(ofFolder folder: Int) -> [Int] { notesOfFolder[folder] ?? [] }
    package func children(ofFolder folder: Int) -> Set<Int> {
        Set(parentOfFolder.filter { $0.value == folder }.keys)
    }
    package func tags(ofNote note: Int) -> Set<Int> {
        Set(taggings.filter { $0.note == note }.map(\.tag))
    }
    package func notes(ofTag tag: Int) -> Set<Int> {
        Set(taggings.filter { $0.tag == tag }.map(\.note))
    }
    /// Returns the topic that a note leads to. Nothing keeps it from being deleted.
    package func topic(ofNote note: Int) -> Int? {
        nodes[note]?.topic.flatMap { nodes[$0] == nil ? nil : $0 }
    }
    package func folder(coveredBy note: Int) -> Int? {
        coverOfFolder.first { $0.value == note }?.key
    }

    /// Returns all relationships to and from a node, and its position among others.
    package func relations(of node: Int) -> [[Int]] {
        let ends = [
            folder(ofNote: node), coverOfFolder[node], folder(coveredBy: node),
            parentOfFolder[node],
        ]
        return ends.map { $0.map { [$0] } ?? [] } + [
            notes(ofFolder: node), folder(ofNote: node).map(notes(ofFolder:)) ?? [],
            children(ofFolder: node).sorted(), tags(ofNote: node).sorted(),
            notes(ofTag: node).sorted(),
        ]
    }

    // MARK: Changing

    package mutating func file(_ note: Int, in folder: Int, at index: Int) {
        unfile(note)
        let insertionIndex = min(index, notes(ofFolder: folder).count)
        notesOfFolder[folder, default: []].insert(note, at: insertionIndex)
    }

    /// Sets the order of a folder's notes.
    ///
    /// - Parameter notes: The notes that are in the folder.
    package mutating func arrange(_ notes: [Int], in folder: Int) {
        notesOfFolder[folder] = notes
    }

    package mutating func unfile(_ note: Int) {
        guard let folder = folder(ofNote: note) else { return }
        notesOfFolder[folder]?.removeAll { $0 == note }
        if notesOfFolder[folder] == [] { notesOfFolder[folder] = nil }
    }

    package mutating func toggle(_ tagging: Tagging) {
        if taggings.remove(tagging) == nil { taggings.insert(tagging) }
    }

    package mutating func setCover(of folder: Int, to note: Int?) {
        if let note, let former = self.folder(coveredBy: note) { coverOfFolder[former] = nil }
        coverOfFolder[folder] = note
    }

    package mutating func setParent(of folder: Int, to parent: Int?) {
        parentOfFolder[folder] = parent
    }

    /// Deletes a node. Deleting a folder also deletes its notes and the folders in it.
    package mutating func delete(_ node: Int) {
        var doomed: Set<Int> = []
        var waiting = [node]
        while let next = waiting.popLast() {
            guard doomed.insert(next).inserted else { continue }
            waiting += notes(ofFolder: next) + children(ofFolder: next)
        }
        for node in doomed {
            unfile(node)
            nodes[node] = nil
            notesOfFolder[node] = nil
            parentOfFolder[node] = nil
            coverOfFolder[node] = nil
        }
        parentOfFolder = parentOfFolder.filter { !doomed.contains($0.value) }
        coverOfFolder = coverOfFolder.filter { !doomed.contains($0.value) }
        taggings = taggings.filter { !doomed.contains($0.note) && !doomed.contains($0.tag) }
    }
}
