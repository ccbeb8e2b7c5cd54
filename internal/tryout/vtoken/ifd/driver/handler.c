/*
 * IFD handler of Keyward's virtual token: one reader, one slot, one Unix
 * socket. pcscd loads it through LIBPATH and passes "SOCKET:0" as DEVICENAME
 * (the colon keeps pcscd from looking for a device file).
 *
 * Interface: ifdhandler.h of libpcsclite-dev, version 3.0. Framing: doc.go.
 *
 * The card is present while the socket can be connected to. pcscd asks from one
 * thread per reader (the poller), and sends APDUs from others, so each reader
 * has a lock.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <ifdhandler.h>
#include <reader.h>

#define MAX_READERS 16
#define MAX_FRAME 65535

enum { POWER_OFF = 0, POWER_ON = 1, RESET = 2, GET_ATR = 4 };

struct reader {
	pthread_mutex_t lock;
	int open;
	int fd;           /* -1: no card */
	int lost;         /* a card went, and pcscd's poller was not told yet */
	pthread_t poller; /* pcscd's thread that watches this reader */
	struct sockaddr_un address;
	unsigned char atr[MAX_ATR_SIZE];
	DWORD atr_length;
};

static struct reader readers[MAX_READERS] = {
	[0 ... MAX_READERS - 1] = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 },
};

/* The upper half of a Lun numbers the reader, the lower half its slot. */
static struct reader *find(DWORD lun)
{
	DWORD n = lun >> 16;
	return n < MAX_READERS && (lun & 0xFFFF) == 0 ? &readers[n] : NULL;
}

static void drop(struct reader *r)
{
	if (r->fd >= 0) {
		close(r->fd);
		r->lost = 1;
	}
	r->fd = -1;
	r->atr_length = 0;
}

static int write_all(int fd, const unsigned char *p, size_t n)
{
	while (n > 0) {
		ssize_t done = send(fd, p, n, MSG_NOSIGNAL);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

static int read_all(int fd, unsigned char *p, size_t n)
{
	while (n > 0) {
		ssize_t done = recv(fd, p, n, 0);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

/* One buffer, so that a frame leaves in one packet. */
static int send_frame(int fd, const unsigned char *p, size_t n)
{
	unsigned char frame[2 + MAX_FRAME];

	if (n > MAX_FRAME)
		return -1;
	frame[0] = (unsigned char)(n >> 8);
	frame[1] = (unsigned char)n;
	memcpy(frame + 2, p, n);
	return write_all(fd, frame, n + 2);
}

/* Gives the length, or -1 when the link broke or the answer is too long. */
static ssize_t receive_frame(int fd, unsigned char *p, size_t room)
{
	unsigned char head[2];
	size_t n;

	if (read_all(fd, head, sizeof head) < 0)
		return -1;
	n = (size_t)head[0] << 8 | head[1];
	if (n > room || read_all(fd, p, n) < 0)
		return -1;
	return (ssize_t)n;
}

static int control(struct reader *r, unsigned char what)
{
	if (r->fd < 0 || send_frame(r->fd, &what, 1) < 0) {
		drop(r);
		return -1;
	}
	return 0;
}

static int fetch_atr(struct reader *r)
{
	ssize_t n = -1;

	if (control(r, GET_ATR) == 0)
		n = receive_frame(r->fd, r->atr, sizeof r->atr);
	if (n <= 0) {
		drop(r);
		return -1;
	}
	r->atr_length = (DWORD)n;
	return 0;
}

/*
 * A closed link is a pulled card; without a link, one is looked for. Clients'
 * threads ask too, but the poller has to see every loss, or pcscd would go on
 * with the next card as if it were the last one and had power.
 */
static int present(struct reader *r)
{
	unsigned char byte;

	if (r->fd >= 0) {
		ssize_t n = recv(r->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
		if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
			return 1;
		drop(r);
	}
	if (r->lost) {
		r->lost = !pthread_equal(r->poller, pthread_self());
		return 0;
	}
	r->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (r->fd < 0)
		return 0;
	if (connect(r->fd, (struct sockaddr *)&r->address, sizeof r->address) < 0) {
		close(r->fd);
		r->fd = -1;
		return 0;
	}
	return 1;
}

RESPONSECODE IFDHCreateChannelByName(DWORD lun, LPSTR device)
{
	struct reader *r = find(lun);
	const char *colon = strrchr(device, ':');
	size_t n = colon ? (size_t)(colon - device) : strlen(device);

	if (r == NULL || n == 0 || n >= sizeof r->address.sun_path)
		return IFD_COMMUNICATION_ERROR;
	pthread_mutex_lock(&r->lock);
	memset(&r->address, 0, sizeof r->address);
	r->address.sun_family = AF_UNIX;
	memcpy(r->address.sun_path, device, n);
	r->open = 1;
	pthread_mutex_unlock(&r->lock);
	return IFD_SUCCESS;
}

RESPONSECODE IFDHCreateChannel(DWORD lun, DWORD channel)
{
	return IFD_NOT_SUPPORTED; /* the socket's name is needed */
}

RESPONSECODE IFDHCloseChannel(DWORD lun)
{
	struct reader *r = find(lun);

	if (r == NULL)
		return IFD_COMMUNICATION_ERROR;
	pthread_mutex_lock(&r->lock);
	drop(r);
	r->open = 0;
	pthread_mutex_unlock(&r->lock);
	return IFD_SUCCESS;
}

/* pcscd's poller waits here between two looks; its own wait would be 400 ms. */
static RESPONSECODE wait_for_change(DWORD lun, int timeout)
{
	static const struct timespec pause = { .tv_nsec = 50 * 1000 * 1000 };
	struct reader *r = find(lun);

	if (r == NULL)
		return IFD_COMMUNICATION_ERROR;
	pthread_mutex_lock(&r->lock);
	r->poller = pthread_self();
	pthread_mutex_unlock(&r->lock);
	nanosleep(&pause, NULL);
	return IFD_SUCCESS;
}

RESPONSECODE IFDHGetCapabilities(DWORD lun, DWORD tag, PDWORD length, PUCHAR value)
{
	struct reader *r = find(lun);
	RESPONSECODE code = IFD_SUCCESS;

	if (r == NULL)
		return IFD_COMMUNICATION_ERROR;
	pthread_mutex_lock(&r->lock);
	switch (tag) {
	case TAG_IFD_ATR:
	case SCARD_ATTR_ATR_STRING:
		if (*length < r->atr_length)
			code = IFD_ERROR_INSUFFICIENT_BUFFER;
		else
			memcpy(value, r->atr, r->atr_length);
		*length = r->atr_length;
		break;
	case TAG_IFD_SIMULTANEOUS_ACCESS:
		*length = 1;
		*value = MAX_READERS;
		break;
	case TAG_IFD_THREAD_SAFE:
	case TAG_IFD_SLOTS_NUMBER:
		*length = 1;
		*value = 1;
		break;
	case TAG_IFD_POLLING_THREAD_WITH_TIMEOUT: {
		RESPONSECODE (*poller)(DWORD, int) = wait_for_change;

		*length = sizeof poller;
		memcpy(value, &poller, sizeof poller);
		break;
	}
	default:
		code = IFD_ERROR_TAG;
	}
	pthread_mutex_unlock(&r->lock);
	return code;
}

RESPONSECODE IFDHSetCapabilities(DWORD lun, DWORD tag, DWORD length, PUCHAR value)
{
	return IFD_NOT_SUPPORTED;
}

/* Both T=0 and T=1 do: the frames carry whole APDUs. */
RESPONSECODE IFDHSetProtocolParameters(DWORD lun, DWORD protocol, UCHAR flags,
				       UCHAR pts1, UCHAR pts2, UCHAR pts3)
{
	return IFD_SUCCESS;
}

RESPONSECODE IFDHPowerICC(DWORD lun, DWORD action, PUCHAR atr, PDWORD length)
{
	struct reader *r = find(lun);
	int failed;

	if (r == NULL)
		return IFD_COMMUNICATION_ERROR;
	pthread_mutex_lock(&r->lock);
	switch (action) {
	case IFD_POWER_DOWN:
		if (r->fd >= 0)
			control(r, POWER_OFF);
		r->atr_length = 0;
		failed = 0;
		break;
	case IFD_POWER_UP:
		failed = control(r, POWER_ON) < 0 || fetch_atr(r) < 0;
		break;
	case IFD_RESET:
		failed = control(r, RESET) < 0 || fetch_atr(r) < 0;
		break;
	default:
		pthread_mutex_unlock(&r->lock);
		return IFD_NOT_SUPPORTED;
	}
	*length = r->atr_length;
	memcpy(atr, r->atr, r->atr_length);
	pthread_mutex_unlock(&r->lock);
	return failed ? IFD_ERROR_POWER_ACTION : IFD_SUCCESS;
}

RESPONSECODE IFDHTransmitToICC(DWORD lun, SCARD_IO_HEADER send_header, PUCHAR command,
			       DWORD command_length, PUCHAR response,
			       PDWORD response_length, PSCARD_IO_HEADER receive_header)
{
	struct reader *r = find(lun);
	ssize_t n = -1;

	if (r == NULL)
		return IFD_COMMUNICATION_ERROR;
	pthread_mutex_lock(&r->lock);
	/* A command of one byte would read as a control byte. */
	if (r->fd >= 0 && command_length > 1 && send_frame(r->fd, command, command_length) == 0)
		n = receive_frame(r->fd, response, *response_length);
	if (n < 0)
		drop(r);
	/* Nothing (0): the card has no power, and stays. */
	*response_length = n < 0 ? 0 : (DWORD)n;
	if (receive_header != NULL)
		receive_header->Protocol = send_header.Protocol;
	pthread_mutex_unlock(&r->lock);
	return n <= 0 ? IFD_COMMUNICATION_ERROR : IFD_SUCCESS;
}

RESPONSECODE IFDHControl(DWORD lun, DWORD code, PUCHAR command, DWORD command_length,
			 PUCHAR response, DWORD room, LPDWORD response_length)
{
	if (response_length != NULL)
		*response_length = 0;
	return IFD_ERROR_NOT_SUPPORTED;
}

/*
 * An APDU under way holds the lock. Its card is there, so presence is told
 * without waiting for it.
 */
RESPONSECODE IFDHICCPresence(DWORD lun)
{
	struct reader *r = find(lun);
	int yes;

	if (r == NULL)
		return IFD_COMMUNICATION_ERROR;
	if (pthread_mutex_trylock(&r->lock) != 0)
		return IFD_ICC_PRESENT;
	yes = r->open && present(r);
	pthread_mutex_unlock(&r->lock);
	return yes ? IFD_ICC_PRESENT : IFD_ICC_NOT_PRESENT;
}
