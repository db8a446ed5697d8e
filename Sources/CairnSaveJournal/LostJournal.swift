import CairnStore

/// Decides what to do with a save whose journal is lost, according to what its stores know about
/// the save.
struct LostJournal {
    let recovery: SaveRecovery
    let files: SaveFiles
    /// The file that names the participants.
    let pointer: SaveFile
    let loss: JournalLoss

    /// Removes the files of a save that no store has, or that all stores have.
    ///
    /// - Returns: the stores that do not contain the save although others do, or may not contain it,
    ///   because the doubt was overridden.
    /// - Throws: `.saveInDoubt` if only some of the stores have the save, or if a store cannot be
    ///   asked.
    func run() throws(StoreError) -> [StoreLocation] {
        var opened = OpenedParticipants(recovery: recovery, files: files, layouts: files.layouts)
        defer { opened.close() }
        var (having, lacking): ([StoreLocation], [StoreLocation]) = ([], [])
        var unknown: [StoreLocation] = []
        for (index, (_, file)) in files.participants.enumerated() {
            guard let store = try opened.open(at: index) else {
                unknown.append(file.location)
                continue
            }
            switch try opened.outcome(of: pointer.id, in: store) {
            case .saved: having.append(store.request.location)
            case .notSaved: lacking.append(store.request.location)
            case .forgotten where files.hasFirstPointer && !file.exists:
                having.append(store.request.location)
            case .forgotten:
                guard recovery.overridesDoubt else {
                    throw files.doubt(
                        "\(store.request.location) no longer knows whether it contains the save")
                }
                unknown.append(store.request.location)
            }
        }
        if !recovery.overridesDoubt {
            if !having.isEmpty, !lacking.isEmpty { throw mixed(having, lacking) }
            if having.isEmpty, case .damaged = loss { throw files.doubt("\(loss)") }
        }
        try files.drop(but: opened.leftOut)
        return unknown + (having.isEmpty ? [] : lacking)
    }

    private func mixed(_ having: [StoreLocation], _ lacking: [StoreLocation]) -> StoreError {
        files.doubt(
            "\(loss), and"
                + " \(having.map(\.description).joined(separator: ", "))"
                + " \(having.count == 1 ? "contains" : "contain") the save, while"
                + " \(lacking.map(\.description).joined(separator: ", "))"
                + " \(lacking.count == 1 ? "does" : "do") not")
    }
}
