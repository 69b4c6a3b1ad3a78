// Requests and responses: each of 8 clients keeps one request open at a server that needs 2 us for
// each. Prints the response times.
//
// The library's loop calls the program back at each event; a class closes the simulation.
#include <fabricsim.h>

#include <cinttypes>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr std::uint32_t CLIENTS = 8;
constexpr std::uint32_t SERVER = 8;
constexpr std::uint64_t SERVICE = 2'000'000; // ps
constexpr std::uint64_t REQUESTS = 50;

void check(std::int32_t code)
{
    if (code != FABRICSIM_OK) {
        std::vector<char> words(fabricsim_last_error(nullptr, 0));
        fabricsim_last_error(words.data(), words.size());
        throw std::runtime_error(words.data());
    }
}

// A simulation that is closed with the object.
class Simulation {
public:
    explicit Simulation(const std::string &toml) { check(fabricsim_open_text(toml.c_str(), 1, &handle_)); }
    Simulation(const Simulation &) = delete;
    Simulation &operator=(const Simulation &) = delete;
    ~Simulation() { fabricsim_close(handle_); }
    FabricsimHandle handle() const { return handle_; }

private:
    FabricsimHandle handle_ = 0;
};

// The tag of a request or a response is the client; the token says which of the two it is.
class Requests {
public:
    explicit Requests(FabricsimHandle simulation) : simulation_(simulation), sent_(CLIENTS), left_(CLIENTS, REQUESTS)
    {
        check(fabricsim_set_callback(simulation, &Requests::call, this,
                                     FABRICSIM_EVENT_DELIVERED | FABRICSIM_EVENT_TIMER));
    }

    void begin()
    {
        for (std::uint32_t client = 0; client < CLIENTS; client++) {
            request(client, 0);
        }
    }

    const std::vector<std::uint64_t> &times() const { return times_; }

private:
    // Exceptions must not leave a callback.
    static void call(void *self, const FabricsimEvent *event) noexcept
    {
        static_cast<Requests *>(self)->on_event(*event);
    }

    void on_event(const FabricsimEvent &event)
    {
        if (event.kind == FABRICSIM_EVENT_TIMER) {
            send(SERVER, static_cast<std::uint32_t>(event.timer), 64'000, event.timer, 1);
        } else if (event.message.token == 0) {
            check(fabricsim_set_timer(simulation_, event.at + SERVICE, event.message.tag));
        } else {
            const auto client = event.message.dst;
            times_.push_back(event.at - sent_[client]);
            if (--left_[client] > 0) {
                request(client, event.at);
            }
        }
    }

    void request(std::uint32_t client, std::uint64_t now)
    {
        sent_[client] = now;
        send(client, SERVER, 1'000, client, 0);
    }

    void send(std::uint32_t src, std::uint32_t dst, std::uint64_t size, std::uint64_t tag, std::uint64_t token)
    {
        FabricsimMessage message{};
        message.src = src;
        message.dst = dst;
        message.size = size;
        message.tag = tag;
        message.token = token;
        check(fabricsim_send(simulation_, &message));
    }

    FabricsimHandle simulation_;
    std::vector<std::uint64_t> sent_;
    std::vector<std::uint64_t> left_;
    std::vector<std::uint64_t> times_;
};

} // namespace

int main()
{
    try {
        Simulation simulation("[topology]\nkind = \"star\"\nhosts = 9\n[cc]\nkind = \"hpcc\"\n");
        Requests requests(simulation.handle());
        requests.begin();
        std::uint32_t stop = 0;
        check(fabricsim_run_until(simulation.handle(), UINT64_MAX, &stop));
        std::uint64_t sum = 0;
        for (const auto time : requests.times()) {
            sum += time;
        }
        std::printf("%zu requests, %.3f us each\n", requests.times().size(),
                    static_cast<double>(sum) / 1e6 / static_cast<double>(requests.times().size()));
        return stop == FABRICSIM_STOP_FINISHED && requests.times().size() == CLIENTS * REQUESTS ? 0 : 1;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
