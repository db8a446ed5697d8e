import CairnModel
import CairnPostgreSQL
import CairnStore
import Dispatch
import Foundation
import PostgreSQLStoreSupport
import Synchronization

// Clients of a server that fails, for `script/postgres failover`:
//
//     PostgreSQLFailover speed ADDRESS THREADS SECONDS   prints how many saves a second were made
//     PostgreSQLFailover write ADDRESS THREADS FILE      saves until the file FILE.stop exists, and writes FILE
//     PostgreSQLFailover check ADDRESS FILE              compares the store with FILE
//
// A line of FILE has the milliseconds since the start, what the client was told (saved, failed), and the name of the
// save, which is also the title of its only object. Addresses name the schema.

let arguments = CommandLine.arguments
guard arguments.count >= 4, let url = URL(string: arguments[2]) else {
    fatalError("usage: see main.swift")
}
let model = try ManagedObjectModel([
    EntityDescription(
        "Author", [.attribute("name", .string), .toMany("books", "Book", inverse: "author")]),
    EntityDescription(
        "Book", [.attribute("title", .string), .toOne("author", "Author", inverse: "books")]),
])

func openStore() throws -> PostgreSQLStore {
    guard let service = ServiceLocation(url) else { throw POSIXError(.EINVAL) }
    return try PostgreSQLStore.open(OpenRequest(location: .service(service), model: model))
}

/// Runs the body on threads, and waits for them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        Thread {
            body(index)
            group.leave()
        }.start()
    }
    group.wait()
}

func processorSeconds() -> Double {
    var used = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
    return Double(used.tv_sec) + Double(used.tv_nsec) / 1e9
}

let saver = BookSaver(book: model.entities[1])

switch arguments[1] {
case "speed":
    let store = try openStore()
    let (threads, seconds) = (Int(arguments[3]) ?? 1, Double(arguments[4]) ?? 5)
    // Connections and blocks of keys are there when the time begins.
    onThreads(threads) { _ in for _ in 0..<5 { _ = try? saver.save(1, to: store) } }
    let count = Atomic(0)
    let (began, used) = (ContinuousClock.now, processorSeconds())
    onThreads(threads) { _ in
        while ContinuousClock.now - began < .seconds(seconds) {
            do {
                try saver.save(1, to: store)
                count.add(1, ordering: .relaxed)
            } catch {
                print(error)
                return
            }
        }
    }
    let taken = (ContinuousClock.now - began) / .seconds(1)
    let cpu = Int((processorSeconds() - used) * 100)
    let rate = Double(count.load(ordering: .relaxed)) / taken
    print("\(threads) savers: \(Int(rate)) saves/s, client CPU \(Double(cpu) / 100) s")
case "write":
    let (threads, path) = (Int(arguments[3]) ?? 8, arguments[4])
    let store = try openStore()
    let lines = Mutex<[String]>([])
    let began = ContinuousClock.now
    @Sendable func note(_ what: String, _ name: SaveID) {
        let time = Int((ContinuousClock.now - began) / .milliseconds(1))
        lines.withLock { $0.append("\(time) \(what) \(name)") }
    }
    onThreads(threads) { _ in
        while !FileManager.default.fileExists(atPath: path + ".stop") {
            let name = SaveID()
            do {
                try saver.save(1, to: store, name: name, title: "\(name)")
                note("saved", name)
            } catch StoreError.commitOutcomeUnknown {
                // Asks until a server answers.
                while true {
                    do {
                        let outcome = try store.outcome(of: name)
                        note(
                            outcome == .saved
                                ? "saved" : outcome == .notSaved ? "failed" : "forgotten", name)
                        break
                    } catch {
                        if FileManager.default.fileExists(atPath: path + ".stop") {
                            note("undecided", name)
                            break
                        }
                        usleep(20_000)
                    }
                }
                note("unknown", name)
            } catch {
                note("failed", name)
                usleep(20_000)
            }
        }
    }
    try lines.withLock { $0.joined(separator: "\n") + "\n" }
        .write(toFile: path, atomically: true, encoding: .utf8)
case "check":
    let store = try openStore()
    let text = try String(contentsOfFile: arguments[3], encoding: .utf8)
    var told: [String: [Substring]] = [:]
    var times: [Int] = []
    for line in text.split(separator: "\n") {
        let words = line.split(separator: " ", maxSplits: 2)
        if words[1] == "unknown" {
            told["unknown", default: []].append(words[2])
        } else {
            told[String(words[1]), default: []].append(words[2])
            if words[1] == "saved" { times.append(Int(words[0]) ?? 0) }
        }
    }
    var stored: [String: Int] = [:]
    let snapshot = try store.snapshot()
    let cursor = try snapshot.cursor(FetchPlan(entity: model.entities[1]))
    let layout = store.request.layouts.layout(of: model.entities[1])
    while let batch = try cursor.next(atMost: 10_000) {
        for row in batch.rows {
            if let slot = layout.slot(named: "title"), case .string(let title) = row.value(slot) {
                stored[title, default: 0] += 1
            }
        }
    }
    let lost = (told["saved"] ?? []).filter { stored[String($0)] == nil }.count
    let twice = stored.values.filter { $0 > 1 }.count
    let ghosts = (told["failed"] ?? []).filter { stored[String($0)] != nil }.count
    let undecided = (told["undecided"] ?? []).count + (told["forgotten"] ?? []).count
    times.sort()
    let gap = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? 0
    print(
        "saved \(told["saved"]?.count ?? 0) lost \(lost) twice \(twice) failed-but-there \(ghosts)",
        "unknown \(told["unknown"]?.count ?? 0) undecided \(undecided) pause \(gap) ms")
    exit(lost + twice + ghosts + undecided == 0 ? 0 : 1)
default: fatalError("no mode \(arguments[1])")
}
