import Cairn
import Foundation

// The functions in docs/history.md. A test compares them with the page, word for word.

func pushChanges(
    of coordinator: PersistentStoreCoordinator, after token: PersistentHistoryToken?,
    to send: ([PersistentHistoryChange]) throws -> Void
) throws -> PersistentHistoryToken? {
    var token = token
    while true {
        let page = try coordinator.history(after: token, limit: 100)
        guard let last = page.last else { return token }
        // What came from the server is not sent back to it.
        try send(page.filter { $0.author != "server" }.flatMap(\.changes))
        token = last.token
    }
}

func pullNote(_ title: String, into coordinator: PersistentStoreCoordinator) throws {
    try ContextHandle(coordinator: coordinator).performAndWait { context in
        context.transactionAuthor = "server"
        let note = try context.insertNewObject(forEntityName: "Note")
        try note.setValue(title, forKey: "title")
        try context.save()
    }
}

func updateIndex(_ index: TextIndex, of coordinator: PersistentStoreCoordinator) throws {
    let stored = try index.run("SELECT token FROM progress").first?.first
    let token = try stored.map {
        try JSONDecoder().decode(PersistentHistoryToken.self, from: Data($0.utf8))
    }
    let page = try coordinator.history(after: token)
    guard let last = page.last else { return }
    let changes = ObjectIDChanges(page)
    let texts = try ContextHandle(coordinator: coordinator).performAndWait { context in
        var texts: [ObjectID: String] = [:]
        for id in changes.inserted.union(changes.updated) {
            // An object that has been deleted since is in a later transaction.
            let note = try? context.existingObject(with: id)
            texts[id] = try note?.value(forKey: "title") as? String
        }
        return texts
    }
    try index.run("BEGIN")
    for id in changes.inserted.union(changes.updated).union(changes.deleted) {
        let uri = id.uriRepresentation().absoluteString
        try index.run("DELETE FROM notes WHERE uri = ?", uri)
        if let text = texts[id] { try index.run("INSERT INTO notes VALUES (?, ?)", uri, text) }
    }
    let json = String(decoding: try JSONEncoder().encode(last.token), as: UTF8.self)
    try index.run("DELETE FROM progress")
    try index.run("INSERT INTO progress VALUES (?)", json)
    try index.run("COMMIT")
}

func auditPage(of coordinator: PersistentStoreCoordinator) throws -> [String] {
    let model = coordinator.managedObjectModel
    return try coordinator.history().flatMap { transaction in
        transaction.changes.map { change in
            let entity = model.entity(numbered: change.changedObjectID.entity)?.name ?? "object"
            var words = [transaction.author ?? "unknown", "\(change.changeType)", entity]
            words += change.updatedProperties.sorted()
            if case .string(let title)? = change.tombstone["title"] { words.append(title) }
            return words.joined(separator: " ")
        }
    }
}

func showChanges(
    of coordinator: PersistentStoreCoordinator, after token: PersistentHistoryToken?,
    in handle: ContextHandle, redraw: @Sendable (ManagedObjectContext) throws -> Void
) async throws {
    for try await transaction in coordinator.followHistory(after: token) {
        try handle.performAndWait { context in
            try context.mergeChanges(fromHistory: [transaction])
            try redraw(context)
        }
    }
}
