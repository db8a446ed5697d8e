import TodoModels

extension TodoStore {
    /// Carries out a command, and returns the lines of its answer.
    ///
    /// - Throws: ``ProgramFailure`` for a command that does not exist, and the errors of the store.
    public func answer(_ words: [String]) throws -> [String] {
        switch (words.first, words.count) {
        case ("add", 3...5):
            let priority = words.count > 3 ? words[3] : "normal"
            guard let known = TodoItem.Priority.allCases.first(where: { "\($0)" == priority })
            else {
                throw ProgramFailure("“\(priority)” is no priority: low, normal, high")
            }
            let place = words.count > 4 ? TodoItem.Place(name: words[4]) : nil
            try add(words[2], toListNamed: words[1], priority: known, at: place)
            return ["added"]
        case ("done", 2): return ["finished: \(try finish(words[1]))"]
        case ("drop", 2): return [try deleteList(named: words[1]) ? "deleted" : "no such list"]
        case ("open", 1): return try openItems()
        default:
            throw ProgramFailure(
                "commands: add LIST TITLE [PRIORITY [PLACE]], done TITLE, drop LIST, open")
        }
    }
}
