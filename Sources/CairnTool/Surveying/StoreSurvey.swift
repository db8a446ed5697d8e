import Cairn
import Foundation

/// A summary of a whole store: its metadata, its model, the number of its objects, whether they are sound,
/// and a sample of them.
///
/// If the store is damaged or its model is missing, the summary contains everything that could be read.
struct StoreSurvey {
    /// A file or folder of the store.
    struct File {
        let name: String
        let byteCount: Int
    }

    /// The origin of the model.
    enum ModelOrigin {
        case store, argument
        /// The store contains no model. A model that is sufficient for reading was inferred from its content.
        case inferred
    }

    /// The result of checking references, inverses, required values, counts and indexes.
    enum Check {
        case sound(objectCount: Int, referenceCount: Int)
        /// The first problems, and the number of all problems.
        case unsound([String], count: Int)
        /// The check ended early, for the given reason.
        case failed(String)
        /// The store could not be checked, for the given reason.
        case impossible(String)
    }

    /// The maximum number of problems in a summary.
    static let mostProblems = 50

    let name: String
    let path: String
    let type: StoreType
    let identifier: String
    let versionIdentifiers: [String]
    let files: [File]
    /// The number of objects of each entity, by the entity names in the store. An entity whose objects cannot
    /// be counted is absent.
    let counts: [String: Int]
    /// Whether all objects were counted.
    let isCountComplete: Bool
    let model: ManagedObjectModel?
    let modelOrigin: ModelOrigin?
    let check: Check
    /// The samples, by the names of the model's entities.
    let samples: [String: EntitySample]

    /// Reads and checks a store.
    ///
    /// To check the store, reads all of it twice. Meanwhile, keeps the ID of each object in memory, but no
    /// values except those of the samples.
    ///
    /// - Parameter sampleCount: the number of objects of each entity in the sample.
    init(_ tool: ToolStore, sampleCount: Int) {
        let location = tool.location
        path = PathAlias.shown(in: location.fileURL?.path ?? "\(location)")
        name = String(path.split(separator: "/").last ?? "")
        type = tool.metadata.type
        identifier = tool.metadata.identifier
        versionIdentifiers = tool.metadata.modelVersionIdentifiers.filter { !$0.isEmpty }
        files = Self.files(of: tool)
        let counts = try? tool.entityCounts()
        isCountComplete = counts != nil
        do {
            let (model, origin) = try tool.modelAndOrigin()
            self.model = model
            modelOrigin = origin
            let reading = Self.read(tool, model, sampleCount: sampleCount)
            check = reading.check
            samples = reading.samples
            self.counts = counts ?? reading.counts
        } catch {
            (model, modelOrigin, samples) = (nil, nil, [:])
            self.counts = counts ?? [:]
            check = .impossible(PathAlias.shown(in: "\(error)"))
        }
    }

    private static func files(of tool: ToolStore) -> [File] {
        guard let main = tool.location.fileURL else { return [] }
        let companions = tool.engine.companionFiles(of: tool.location).filter { $0.role == .data }
        return ([main] + companions.map(\.url)).compactMap { url in
            guard let count = try? url.byteCount(), count > 0 else { return nil }
            return File(name: url.lastPathComponent, byteCount: count)
        }
    }

    /// The parts of a summary that are read from the open store.
    private struct Reading {
        var check: Check
        var counts: [String: Int] = [:]
        var samples: [String: EntitySample] = [:]
    }

    /// Checks the store, and reads the samples and counts that can be read.
    private static func read(
        _ tool: ToolStore, _ model: ManagedObjectModel, sampleCount: Int
    ) -> Reading {
        do {
            try tool.requireNoPendingSave()
            let store = try tool.open(with: model)
            defer { try? store.close() }
            let snapshot = try store.snapshot()
            defer { snapshot.end() }
            let sampler = EntitySampler(
                snapshot: snapshot, layouts: store.request.layouts, count: sampleCount)
            var reading = Reading(check: check(store, snapshot))
            for entity in model.entities where !entity.isAbstract {
                reading.samples[entity.name] = sampler.sample(of: entity)
                let plan = FetchPlan(entity: entity, includesSubentities: false)
                reading.counts[entity.name] = (try? snapshot.count(plan)).flatMap(\.self)
            }
            return reading
        } catch {
            return Reading(check: .failed(PathAlias.shown(in: "\(error)")))
        }
    }

    private static func check(
        _ store: any PersistentStore, _ snapshot: any StoreSnapshot
    ) -> Check {
        var problems: [String] = []
        do {
            problems += try ((store as? any SelfCheckingStore)?.findDisagreements() ?? [])
                .map(\.description)
            let report = try StoreVerifier(
                snapshot: snapshot, layouts: store.request.layouts
            ).verify()
            problems += report.problems.map(\.description)
            guard problems.isEmpty else {
                return .unsound(
                    Array(problems.prefix(mostProblems)), count: problems.count)
            }
            return .sound(objectCount: report.objectCount, referenceCount: report.referenceCount)
        } catch {
            let text = PathAlias.shown(in: "\(error)")
            guard !problems.isEmpty else { return .failed(text) }
            let all = problems.prefix(mostProblems) + [text]
            return .unsound(Array(all), count: problems.count + 1)
        }
    }

    /// The total size of the store's files in bytes.
    var byteCount: Int { files.reduce(0) { $0 + $1.byteCount } }
    /// The number of all objects, or `nil` if some cannot be counted.
    var objectCount: Int? { isCountComplete ? counts.values.reduce(0, +) : nil }
}
