import CairnTestSupport

typealias WorkerProcess = CairnTestSupport.WorkerProcess

extension WorkerProcess {
    convenience init(_ arguments: String...) throws { try self.init(arguments) }

    convenience init(_ arguments: [String]) throws {
        try self.init(named: "CairnLMDBTestWorker", arguments)
    }
}
