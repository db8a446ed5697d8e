import Cairn
import CairnPostgreSQL
import Foundation
import PostgreSQLStoreSupport
import Testing

final class Branch: ManagedObject {
    @Managed var city: String
    @Managed var accounts: Members<Account>
}

final class Account: ManagedObject {
    @Managed var number: Int
    @Managed var balance: Int
    @Managed var owner: String
    @Managed var branch: Branch?
    override class var entitySettings: EntitySettings {
        EntitySettings(of: Account.self, .unique("number"))
    }
}

/// The bank of docs/servers.md, whose store is on a server.
@Suite(.enabled(if: PostgreSQLHarness.database != nil, "CAIRN_POSTGRESQL names no database"))
struct `A graph on a server` {
    private let schema = "cairn-test-\(UUID().uuidString.prefix(13))"
    private let database = PostgreSQLHarness.database ?? URL(fileURLWithPath: "/")

    /// Returns a container, as each machine would have one.
    private func container() async throws -> PersistentContainer {
        PersistentStoreCoordinator.registerStoreClass(PostgreSQLStore.self, type: "PostgreSQL")
        let container = try PersistentContainer(name: "Bank", for: Account.self, Branch.self)
        container.persistentStoreDescriptions = [
            PersistentStoreDescription(type: "PostgreSQL", url: database.appending(path: schema))
        ]
        try await container.loadPersistentStores()
        return container
    }

    private func withBank(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            try PostgreSQLStore.removeSchemas(beginningWith: schema, from: database)
            throw error
        }
        try PostgreSQLStore.removeSchemas(beginningWith: schema, from: database)
    }

    @Test func `shows another machine what was saved, by predicates, sorts and relationships`()
        async throws
    {
        try await withBank {
            let (mine, theirs) = (try await container(), try await container())
            try await mine.performBackgroundTask { context in
                let branch = try Branch(context: context)
                branch.city = "Reykjavík"
                for number in 1...100 {
                    let account = try Account(context: context)
                    (account.number, account.balance) = (number, number * 10)
                    account.owner = number.isMultiple(of: 2) ? "Ólafur" : "Olaf"
                    if number > 50 { account.branch = branch }
                }
                try context.save()
            }
            let numbers = try await theirs.performBackgroundTask { context in
                try context.fetch(
                    Account.self,
                    where: #Predicate {
                        $0.branch?.city == "Reykjavík" && $0.balance > 900
                            && $0.owner.starts(with: "Ól")
                    }, sortedBy: [SortDescriptor(\.number, order: .reverse)]
                ).map(\.number)
            }
            #expect(numbers == [100, 98, 96, 94, 92])
            try await theirs.performBackgroundTask { context in
                let branch = try #require(try context.first(Branch.self))
                #expect(branch.accounts.count == 50)
                let account = try #require(
                    try context.first(Account.self, where: #Predicate { $0.number == 100 }))
                account.balance = 1
                try context.delete(branch)
                try context.save()
            }
            let found = try await mine.performBackgroundTask { context in
                let account = try context.first(
                    Account.self, where: #Predicate { $0.number == 100 })
                return (account?.balance, account?.branch == nil, try context.count(Branch.self))
            }
            #expect(found == (1, true, 0))
        }
    }

    @Test func `loses no transfer of many tasks on two machines, and refuses a second number`()
        async throws
    {
        try await withBank {
            let containers = [try await container(), try await container()]
            try await containers[0].performBackgroundTask { context in
                for number in 0..<4 {
                    let account = try Account(context: context)
                    (account.number, account.balance, account.owner) = (number, 100, "")
                }
                try context.save()
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<24 {
                    group.addTask {
                        try await transfer(
                            from: task % 4, to: (task + 1) % 4, in: containers[task % 2])
                    }
                }
                try await group.waitForAll()
            }
            let balances = try await containers[1].performBackgroundTask { context in
                try context.fetch(Account.self, sortedBy: [SortDescriptor(\.number)]).map(\.balance)
            }
            #expect(balances == [100, 100, 100, 100])
            await #expect(throws: GraphError.self) {
                try await containers[1].performBackgroundTask { context in
                    let account = try Account(context: context)
                    (account.number, account.owner) = (2, "a second one")
                    try context.save()
                }
            }
        }
    }

    private func transfer(
        from source: Int, to destination: Int, in container: PersistentContainer
    ) async throws {
        while true {
            do {
                return try await container.performBackgroundTask { context in
                    let accounts = try context.fetch(Account.self)
                    let payer = try #require(accounts.first { $0.number == source })
                    let payee = try #require(accounts.first { $0.number == destination })
                    payer.balance -= 1
                    payee.balance += 1
                    try context.save()
                }
            } catch GraphError.mergeConflicts {
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...20)))
            }
        }
    }
}
